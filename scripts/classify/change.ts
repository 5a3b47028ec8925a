import { distinct, groupedByName } from "../openapi/json.js";
import { label as plainLabel } from "../refusal.js";

const levels = ["none", "docs", "additive", "breaking"] as const;

/** How severe a change of the document is for the users of the SDK. */
export type Level = (typeof levels)[number];

/** One difference between two documents, as a sentence for users of the SDK. */
export interface Change {
  level: Level;
  /** The sentence, with `it` for the operation and `those` for the name that it is about. */
  words: string;
  name?: string | undefined;
  /** How users call the operation. */
  call?: string | undefined;
  /** Whether it is about the values of the field that tells the price. */
  isPrice?: true;
  /** The status of the error whose body it is about. */
  error?: string;
  /** What is left to do for a maintainer, as a sentence, with `it` for the operation. */
  todo?: string;
}

const rated = (level: Level) => (words: string, name?: string) => ({ level, words, name }) as Change;
export const breaking = rated("breaking");
export const additive = rated("additive");
export const docs = rated("docs");

/** Stands in a sentence for the operation. No name of a document has these characters. */
export const it = "<it>";
/** Begins what is left to do before the pull request is merged, which is a draft until then. */
export const beforeMerge = "before the merge: ";

/** Stands in a sentence for names, of which one follows "the header(s)" as well as several do. */
export const those = "<those>";

/** Stands in a sentence for the errors, of one or several operations, whose body it is about. */
export const theErrors = "<errors>";

/** A text of the document as code, as it is written; undefined where a sentence cannot show it so. */
export function asWritten(text: unknown): string | undefined {
  const isPlain = typeof text === "string" && /^(?! )[ -_a-~]{1,200}(?<! )$/.test(text);
  return isPlain && ![it, those, theErrors, "(s)"].some((mark) => text.includes(mark))
    ? `\`${text}\``
    : undefined;
}

/** A name or a value of the document as code: as it is written, if that can be shown. */
export const label = (value: unknown): string =>
  asWritten(typeof value === "string" ? value : JSON.stringify(value)) ?? plainLabel(value);

function listed(names: string[], conjunction: "and" | "or"): string {
  const last = names.at(-1) ?? "";
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} ${conjunction} ${last}` : last;
}

/** Names that all apply, in words, the first ones if they are many. */
export function allOf(names: string[]): string {
  return listed(names.length > 10 ? [...names.slice(0, 9), `${names.length - 9} more`] : names, "and");
}

/** Alternatives in words, which are counted if they are many. */
export function oneOf(names: string[]): string {
  return names.length > 10 ? `one of ${names.length} values` : listed(names, "or");
}

/** The changes, most severe first, each told once for all its names and operations. `calls`: all operations. */
export function toldOnce(changes: Change[], calls: string[]): Change[] {
  const grouped = (found: Change[], keyOf: (change: Change) => string) =>
    [...groupedByName(found.map((one) => [keyOf(one), one])).values()] as [Change, ...Change[]][];
  const told = withErrors(changes, calls);
  const sorted = told.sort((one, other) => bySeverity(other.level, one.level));
  // Of equal sentences, the most severe stays.
  const single = grouped(sorted, ({ call, words, name }) => `${call} ${words} ${name}`);
  const first = single.map(([most]) => most);
  const named = grouped(first, ({ level, call, words }) => `${level} ${call} ${words}`).map((group) => {
    const names = allOf(group.flatMap(({ name }) => name ?? []));
    const words = group[0].words.replace("(s)", group.length > 1 ? "s" : "").replaceAll(those, () => names);
    return { ...group[0], words };
  });
  return grouped(named, ({ level, words }) => `${level} ${words}`).map((group) => {
    const operations = operationsIn(
      group.flatMap(({ call }) => call ?? []),
      calls,
    );
    const inWords = (words: string) => words.replaceAll(it, () => operations);
    const [{ words, todo, ...first }] = group;
    return { ...first, words: inWords(words), ...(todo !== undefined && { todo: inWords(todo) }) };
  });
}

/** The changes in which those of equal bodies of errors are one. */
function withErrors(changes: Change[], calls: string[]): Change[] {
  const keyOf = ({ level, words, name }: Change) => `${level} ${words} ${name}`;
  const [others, bodies] = [false, true].map((isBody) =>
    changes.filter(({ error }) => (error !== undefined) === isBody),
  ) as [Change[], Change[]];
  const groups = groupedByName(bodies.map((one) => [keyOf(one), one])).values();
  const joined = [...groups].map((group) => {
    const statuses = distinct(group.flatMap(({ error }) => error ?? [])).sort();
    const own = distinct(group.flatMap(({ call }) => call ?? []));
    const isAll =
      distinct(group, ({ call, error }) => `${call} ${error}`).length === statuses.length * own.length;
    const answers = `the answer${statuses.length > 1 ? "s" : ""} ${allOf(statuses)}`;
    const words = isAll ? `${answers} of ${operationsIn(own, calls)}` : answers;
    const [{ call: _, ...first }] = group as [Change, ...Change[]];
    return { ...first, words: first.words.replaceAll(theErrors, () => words) };
  });
  return [...others, ...joined];
}

/** Operations in words that take a singular verb. */
function operationsIn(own: string[], all: string[]): string {
  if (own.length < 2) return `${own[0]}`;
  if (all.every((call) => own.includes(call))) return "every operation";
  return own.length > 5 ? `each of ${own.length} operations (such as ${own[0]})` : `each of ${allOf(own)}`;
}

/** Something in two documents. */
export type Pair<Value = unknown> = readonly [before: Value, after: Value];

/** The same of both. */
export function both<Value, Part>([before, after]: Pair<Value>, partOf: (value: Value) => Part): Pair<Part> {
  return [partOf(before), partOf(after)];
}

/** Orders levels, the least severe first. */
export const bySeverity = (left: Level, right: Level) => levels.indexOf(left) - levels.indexOf(right);

/** The changes between what two documents have under the same names. */
export function compareByName<Value>(
  [before, after]: Pair<ReadonlyMap<string, Value>>,
  changes: {
    lost(name: string, was: Value): Change[];
    gained(name: string, is: Value): Change[];
    kept?(name: string, was: Value, is: Value): Change[];
  },
): Change[] {
  const lost = [...before].filter(([name]) => !after.has(name));
  const others = [...after].flatMap(([name, is]) => {
    const was = before.get(name);
    return was === undefined ? changes.gained(name, is) : (changes.kept?.(name, was, is) ?? []);
  });
  return [...lost.flatMap(([name, was]) => changes.lost(name, was)), ...others];
}

/** The change of what must be given, or is always given. */
export function comparePresence(
  [was, is]: Pair<boolean>,
  isSent: boolean,
  words: (is: boolean) => string,
  name: string,
): Change[] {
  return was === is ? [] : [(is === isSent ? breaking : additive)(words(is), name)];
}
