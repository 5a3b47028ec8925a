/** How much a change affects users of the SDK, the least severe level first. */
const levels = ["none", "docs", "additive", "breaking"] as const;

/** How severe a change of the document is for the users of the SDK. */
export type Level = (typeof levels)[number];

/** One difference between two documents, as a sentence for users of the SDK. */
export interface Change {
  level: Level;
  words: string;
}

export const breaking = (words: string): Change => ({ level: "breaking", words });
export const additive = (words: string): Change => ({ level: "additive", words });
export const docs = (words: string): Change => ({ level: "docs", words });

/** Something in two documents. */
export type Pair<Value = unknown> = readonly [before: Value, after: Value];

/** The same of both. */
export function both<Value, Part>([before, after]: Pair<Value>, partOf: (value: Value) => Part): Pair<Part> {
  return [partOf(before), partOf(after)];
}

/** Orders levels, the least severe first. */
export function bySeverity(left: Level, right: Level): number {
  return levels.indexOf(left) - levels.indexOf(right);
}

/** The changes between what two documents have under the same names. */
export function compareByName<Value>(
  [before, after]: Pair<ReadonlyMap<string, Value>>,
  changes: {
    lost(name: string, was: Value): Change;
    gained(name: string, is: Value): Change;
    kept(name: string, was: Value, is: Value): Change[];
  },
): Change[] {
  const lost = [...before].filter(([name]) => !after.has(name));
  const others = [...after].flatMap(([name, is]) => {
    const was = before.get(name);
    return was === undefined ? [changes.gained(name, is)] : changes.kept(name, was, is);
  });
  return [...lost.map(([name, was]) => changes.lost(name, was)), ...others];
}

/** The change of what must be given, or is always given. */
export function comparePresence(
  [was, is]: Pair<boolean>,
  isSent: boolean,
  words: (is: boolean) => string,
): Change[] {
  return was === is ? [] : [(is === isSent ? breaking : additive)(words(is))];
}

/** The change of the mark that something will go. */
export function compareDeprecation(pair: Pair<{ deprecated?: unknown }>, what: string): Change[] {
  const [was, is] = both(pair, ({ deprecated }) => deprecated === true);
  return was === is ? [] : [docs(`${what} is ${is ? "" : "no longer "}deprecated`)];
}
