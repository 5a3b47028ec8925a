import { canonicalJson, isObject, itemsOf, type JsonObject, membersOf } from "../openapi/json.js";
import { deprecatedValues, keptField, valuesOf } from "../openapi/keywords.js";
import type { Direction } from "../openapi/operations.js";
import { inline, referenceOf } from "../openapi/walk.js";
import {
  additive,
  asWritten,
  both,
  breaking,
  type Change,
  compareByName,
  comparePresence,
  docs,
  label,
  oneOf,
  type Pair,
  those,
} from "./change.js";
import { compareDeprecation } from "./deprecation.js";
import { type Form, formsOf, named, nameOf, partnersOf, withPlainBounds } from "./forms.js";

/** Whose schemas are compared. */
export interface Subject {
  documents: Pair<JsonObject>;
  direction: Direction;
  /** What takes or gives the value, such as "`apps.create`" or "the answer of `apps.create`". */
  owner: string;
  /** The field that is the status of a job. */
  statusField?: string | undefined;
}

/** What is known of two schemas while they are compared. */
interface Comparison extends Subject {
  /** The field that the schemas describe, by dotted path; empty for the whole value. */
  field: string;
  /** Compares the schemas of a part of the value later. */
  enter(schemas: Pair, field: string): void;
}

/**
 * What is different for callers: it is breaking if less is taken, or if more, or less, is given than code may expect.
 * `field` is the name of the value, and empty for a whole body or answer.
 */
export function compareSchemas(schemas: Pair, subject: Subject, field = ""): Change[] {
  const open = [{ schemas, field, within: [] as string[] }];
  // Schemas may contain themselves.
  const entered = new Map<unknown, Set<unknown>>();
  const isEntered = (pair: Pair) => {
    const [before, after] = both(pair, (schema) => referenceOf(schema) ?? schema);
    const others = entered.get(before) ?? new Set();
    const isMember = others.has(after);
    entered.set(before, others.add(after));
    return isMember;
  };
  const changes: Change[] = [];
  for (const { schemas, field, within } of open) {
    const inner: { schemas: Pair; field: string }[] = [];
    const enter = (schemas: Pair, field: string) => inner.push({ schemas, field });
    changes.push(...compareAlternatives(schemas, { ...subject, field, enter }));
    if (inner.length === 0) continue;
    // A schema that is composed anew at each depth is never entered twice, but looks like one that it is within.
    const whole = canonicalJson(schemas);
    if (within.includes(whole) || isEntered(schemas)) continue;
    open.push(...inner.map((part) => ({ ...part, within: [...within, whole] })));
  }
  return changes;
}

function compareAlternatives(schemas: Pair, comparison: Comparison): Change[] {
  const { documents, direction } = comparison;
  const isSent = direction === "request";
  const forms = (index: 0 | 1) => formsOf(documents[index], schemas[index]);
  // A list of numbers that an answer may have is one of values, which code compares with.
  const [before, after] = [forms(0), forms(1)].map((own) => (isSent ? own.map(withPlainBounds) : own)) as [
    Form[],
    Form[],
  ];
  const [[was], [is]] = [before, after];
  // Where anything goes, no more is to be told.
  if (was && is && [was.type, is.type].includes("any")) return compareForm([was, is], comparison);
  // Of a request, each old form must fit a new one. Of an answer, each new form must fit an old one.
  const [needed, others] = isSent ? [before, after] : [after, before];
  const partners = partnersOf(needed, others);
  const alone = needed.filter((form) => !partners.has(form));
  const chosen = new Set(partners.values());
  const left = others.filter((form) => !chosen.has(form));
  const [lost, gained] = isSent ? [alone, left] : [left, alone];
  return [
    ...compareForms(lost, gained, comparison),
    ...[...partners].flatMap(([form, partner]) =>
      compareForm(isSent ? [form, partner] : [partner, form], comparison),
    ),
  ];
}

/** The change of forms that are gone, and of those that are new. */
function compareForms(lost: Form[], gained: Form[], comparison: Comparison): Change[] {
  const isSent = comparison.direction === "request";
  const [old, current] = [lost, gained].map((forms) => oneOf([...new Set(forms.map(nameOf))]));
  if (old && current) return [breaking(say(comparison, `may be ${current}, no longer ${old}`))];
  // Code may still ask for null where there is none.
  const isHarmless = !isSent && old === "null";
  if (old) return [(isHarmless ? additive : breaking)(say(comparison, `${never(comparison)} ${old}`))];
  return current ? [(isSent ? additive : breaking)(say(comparison, `may also be ${current}`))] : [];
}

function compareForm(forms: Pair<Form>, comparison: Comparison): Change[] {
  const [before, after] = both(forms, ({ type }) => type);
  const isSent = comparison.direction === "request";
  const isWider = after === "any" || (before === "integer" && after === "number");
  const words = say(comparison, `${isWider ? "may be" : "is always"} ${named(after)}`);
  const ofType = before === after ? [] : [(isWider === isSent ? additive : breaking)(words)];
  if (ofType.length > 0 && [before, after].includes("any")) return ofType;
  const isPrice = !isSent && comparison.field === "credits.cost";
  return [
    ...ofType,
    ...compareValues(forms, comparison).map((change) => (isPrice ? { ...change, isPrice } : change)),
    ...compareDeprecatedValues(forms, comparison),
    ...(isSent ? [...compareRules(forms, comparison), ...compareDefault(forms, comparison)] : []),
    ...compareFields(forms, comparison),
    ...compareItems(forms, comparison),
  ];
}

function compareValues(forms: Pair<Form>, comparison: Comparison): Change[] {
  const [before, after] = both(forms, (form) => {
    const values = valuesOf(form)?.filter((value) => value !== null);
    return values && new Map(values.map((value) => [canonicalJson(value), label(value)]));
  });
  const widening = comparison.direction === "request" ? additive : breaking;
  const tell = (change: typeof additive, predicate: string) => [change(say(comparison, predicate))];
  if (!before && !after) return [];
  if (!before) return tell(breaking, `is always ${oneOf([...(after?.values() ?? [])])}`);
  if (!after) return tell(widening, "may be any value");
  const lost = [...before].filter(([value]) => !after.has(value));
  const gained = [...after].filter(([value]) => !before.has(value));
  const [gone, current] = both([lost, gained], (values) => values.map(([, value]) => value));
  return [
    ...(gone.length > 0 ? tell(breaking, `${never(comparison)} ${oneOf(gone)}`) : []),
    ...(current.length > 0 ? compareGained(current, comparison) : []),
  ];
}

function compareDeprecatedValues(forms: Pair<Form>, comparison: Comparison): Change[] {
  const marked = both(
    forms,
    ({ [deprecatedValues]: values }) => new Map(itemsOf(values).map((one) => [label(one), one])),
  );
  return compareByName(marked, {
    lost: (name) => [docs(say(comparison, `lists the value(s) ${those} as no longer deprecated`), name)],
    gained: (name) => [docs(say(comparison, `lists the value(s) ${those} as deprecated`), name)],
  });
}

/** Code should be ready for further values of an answer, but must tell what each status of a job means for its end. */
function compareGained(values: string[], comparison: Comparison): Change[] {
  const words = say(comparison, `may also be ${oneOf(values)}`);
  if (comparison.statusField !== comparison.field) return [additive(words)];
  return [
    {
      ...breaking(`${words}, and such a job has ended once it has an \`error\` or a \`result\``),
      todo: `a job that is ${oneOf(values)} counts as ended once it has an \`error\` or a \`result\`: if that is not right, give it a row in the table of src/job-end.ts, and correct the changeset`,
    },
  ];
}

const never = ({ direction }: Comparison) => (direction === "request" ? "may no longer be" : "is never");

/** The rules for what may be sent: in words, with the sign of a stricter value and the value that refuses nothing. */
const rules: Record<string, { words?: string; stricter?: 1 | -1; idle?: unknown; isCode?: true }> = {
  minimum: { words: "at least #", stricter: 1 },
  maximum: { words: "at most #", stricter: -1 },
  exclusiveMinimum: { words: "more than #", stricter: 1 },
  exclusiveMaximum: { words: "less than #", stricter: -1 },
  minLength: { words: "at least # characters long", stricter: 1, idle: 0 },
  maxLength: { words: "at most # characters long", stricter: -1 },
  minItems: { words: "at least # items long", stricter: 1, idle: 0 },
  maxItems: { words: "at most # items long", stricter: -1 },
  minProperties: { words: "at least # fields large", stricter: 1, idle: 0 },
  maxProperties: { words: "at most # fields large", stricter: -1 },
  uniqueItems: { words: "without duplicates", idle: false },
  multipleOf: { words: "a multiple of #" },
  pattern: { words: "of the pattern #", isCode: true },
  format: { words: "of the format #" },
  ...Object.fromEntries(
    "not if then else contains propertyNames patternProperties dependentRequired dependentSchemas"
      .split(" ")
      .map((keyword) => [keyword, {}]),
  ),
};

/** Formats that tell the width of a number. JSON numbers have none. */
const width = /^(?:u?int\d+|float|double)$/;

function compareRules(forms: Pair<Form>, comparison: Comparison): Change[] {
  return Object.entries(rules).flatMap(([keyword, rule]) => {
    const { words = `under another ${label(keyword)}`, stricter = 0, idle, isCode } = rule;
    const [old, current] = both(forms, ({ [keyword]: value }) => {
      const isIdle = value === undefined || value === idle || width.test(String(value));
      return isIdle ? undefined : canonicalJson(value);
    });
    if (old === current) return [];
    if (current === undefined) return [additive(say(comparison, `has no ${label(keyword)} any more`))];
    const isLooser = old !== undefined && (Number(current) - Number(old)) * stricter < 0;
    const value = isCode ? asWritten(forms[1][keyword]) : label(forms[1][keyword]);
    const told = value === undefined ? `of another ${label(keyword)}` : words.replace("#", () => value);
    return [(isLooser ? additive : breaking)(say(comparison, `is ${told}`))];
  });
}

/** Code that leaves the field out gets another value, if there was one; which one, a document may leave open. */
function compareDefault(forms: Pair<Form>, comparison: Comparison): Change[] {
  const [was, is] = both(forms, (form) => form.default);
  if (canonicalJson(was) === canonicalJson(is)) return [];
  if (is === undefined) return [docs(say(comparison, "has no documented default any more"))];
  return [(was === undefined ? docs : breaking)(say(comparison, `is ${label(is)} if it is left out`))];
}

function compareFields(forms: Pair<Form>, comparison: Comparison): Change[] {
  const { documents, direction, owner, field, enter } = comparison;
  const isSent = direction === "request";
  const [takes, needs, lacks] = isSent
    ? ["takes", "requires", "no longer requires"]
    : ["has", "always has", "may lack"];
  const path = (name: string) => (field ? `${field}.${name}` : name);
  const required = both(forms, (form) => new Set(itemsOf(form.required)));
  const isNeeded = (name: string) => both(required, (names) => names.has(name));
  const fields = both(forms, ({ properties }) => new Map(membersOf(properties)));
  const changes = compareByName(fields, {
    lost: (name) => [breaking(`${owner} no longer ${takes} ${those}`, label(path(name)))],
    gained: (name) => [
      isSent && isNeeded(name)[1]
        ? breaking(`${owner} requires ${those}`, label(path(name)))
        : additive(`${owner} ${takes} ${those}`, label(path(name))),
    ],
    kept: (name, ...pair) => {
      enter(pair, path(name));
      const [was, is] = [inline(documents[0], pair[0]), inline(documents[1], pair[1])];
      return [
        ...compareKept([was, is], owner, label(path(name))),
        ...(is[keptField] ? [] : compareDeprecation([was, is], `${label(path(name))} of ${owner}`)),
        ...comparePresence(
          isNeeded(name),
          isSent,
          (is) => `${owner} ${is ? needs : lacks} ${those}`,
          label(path(name)),
        ),
      ];
    },
  });
  return [...changes, ...compareOtherFields(forms, comparison)];
}

/** The change of a field that the SDK takes whether or not the document has it, and sends by itself if it has a default. */
function compareKept([was, is]: Pair<JsonObject>, owner: string, name: string): Change[] {
  if (was[keptField] === is[keptField]) return [];
  if (!is[keptField]) return [docs(`the document describes ${those} of ${owner}`, name)];
  const gone = `the document no longer has ${those} of ${owner}`;
  if (is.default === undefined) return [breaking(`${gone}, which the client still takes`, name)];
  const todo = `the document no longer has ${name} of ${owner}, which the client still sends: see that the service takes it, or no longer send it`;
  return [{ ...breaking(`${gone}, which the client still sends`, name), todo }];
}

/** The change of the fields that a schema does not name. */
function compareOtherFields(forms: Pair<Form>, comparison: Comparison): Change[] {
  const { direction, field, enter } = comparison;
  const others = both(forms, ({ additionalProperties }) => additionalProperties);
  if (others.some(isObject)) enter(others, field ? `${field}.{name}` : "{name}");
  const [wasClosed, isClosed] = both(others, (one) => direction === "request" && one === false);
  if (wasClosed === isClosed) return [];
  const words = say(comparison, isClosed ? "takes no other fields" : "takes other fields");
  return [(isClosed ? breaking : additive)(words)];
}

function compareItems(forms: Pair<Form>, comparison: Comparison): Change[] {
  if (forms[0].type !== "array") return [];
  const [before, after] = both(forms, ({ items, prefixItems }) => [items, ...itemsOf(prefixItems)]);
  if (before.length !== after.length) return [breaking(say(comparison, "has other items"))];
  for (const [index, item] of before.entries()) {
    comparison.enter([item, after[index]], `${comparison.field}[${index > 0 ? index - 1 : ""}]`);
  }
  return [];
}

function say({ owner, field, direction }: Comparison, predicate: string): string {
  const whole = direction === "request" ? `the body of ${owner}` : owner;
  return `${field ? `${label(field)} of ${owner}` : whole} ${predicate}`;
}
