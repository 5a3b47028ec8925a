import { listOperations } from "../emit/emit-operations.js";
import { fieldsOf } from "../emit/emit-values.js";
import { distinct, itemsOf, type JsonObject } from "../openapi/json.js";
import { partsOf, propertiesOf } from "../openapi/walk.js";
import { plain } from "./change.js";

/** The methods of the SDK, by operation. Others are reached by `client.request`. */
const methods = new Map([
  ["createApp", "apps.create"],
  ["createScreenshots", "screenshots.create"],
  ["getJob", "jobs.get"],
]);

/** How deep the fields of an answer are named. */
const deepest = 4;

/** What changed for users of the SDK from one normalised document to another, a sentence each. */
export function inWords(before: JsonObject, after: JsonObject): string[] {
  const [old, current] = [factsOf(before), factsOf(after)];
  const lost = [...old].filter(([fact, end]) => end && !current.has(fact)).map(([, end]) => end);
  const gained = [...current.keys()].filter((fact) => !old.has(fact));
  return [...lost, ...gained];
}

/** A sentence that is true of a document, and the one that is true once it no longer is; empty if none is needed. */
type Fact = [holds: string, ended: string];

function factsOf(document: JsonObject): Map<string, string> {
  const facts = listOperations(document).flatMap(({ name, method, path, body, answers }): Fact[] => {
    const own = methods.get(name);
    const taker = own ? `\`${own}\`` : `\`client.request("${method}", "${plain(path)}")\``;
    const fields = distinct(answers.flatMap((answer) => answerFields(document, answer, 0))).map(label);
    return [
      ...(own ? [] : [[`${taker} is typed`, `${taker} is no longer typed`] as Fact]),
      ...bodyFacts(document, body, taker),
      ...fields.map(
        (field): Fact => [
          `the answer of ${taker} has ${field}`,
          `the answer of ${taker} no longer has ${field}`,
        ],
      ),
    ];
  });
  return new Map(facts);
}

const label = (name: unknown) => `\`${plain(String(name))}\``;

function bodyFacts(document: JsonObject, body: unknown, taker: string): Fact[] {
  const required = propertiesRequiredBy(document, body);
  return Object.entries(fieldsOf(document, body)).flatMap(([name, facets]) => {
    const field = label(name);
    const { values = [], minimum, maximum, maxLength, default: otherwise } = facets;
    const limits = Object.entries({
      "at least": minimum,
      "at most": maximum,
      "in characters at most": maxLength,
    });
    const stated = [...limits, ["when left out", otherwise] as const].filter(
      ([, value]) => value !== undefined,
    );
    return [
      [`${taker} takes ${field}`, `${taker} no longer takes ${field}`],
      ...(required.includes(name)
        ? [[`${taker} requires ${field}`, `${field} may be left out of ${taker}`]]
        : []),
      ...values.map((value) => [
        `${taker} takes ${label(value)} as ${field}`,
        `${taker} no longer takes ${label(value)} as ${field}`,
      ]),
      ...stated.map(([words, value]) => [`${field} of ${taker} is ${words} ${label(value)}`, ""]),
    ] as Fact[];
  });
}

function propertiesRequiredBy(document: JsonObject, schema: unknown): string[] {
  const lists = partsOf(document, schema).flatMap(({ required }) =>
    required ? [itemsOf(required).map(String)] : [],
  );
  return (lists[0] ?? []).filter((name) => lists.every((list) => list.includes(name)));
}

function answerFields(document: JsonObject, schema: unknown, depth: number): string[] {
  if (depth === deepest) return [];
  const fields = propertiesOf(document, schema).flatMap(([name, property]) => [
    name,
    ...answerFields(document, property, depth + 1).map((inner) => `${name}.${inner}`),
  ]);
  const items = partsOf(document, schema).flatMap((part) => (part.items ? [part.items] : []));
  return [...fields, ...items.flatMap((item) => answerFields(document, item, depth + 1))];
}
