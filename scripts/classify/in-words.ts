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
  const lost = [...old].filter(([holds, ended]) => ended && !current.has(holds)).map(([, ended]) => ended);
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
      ...(own ? [] : [fact(taker, "is", "typed")]),
      ...bodyFacts(document, body, taker),
      ...fields.map((field) => fact(`the answer of ${taker}`, "has", field)),
    ];
  });
  return new Map(facts);
}

const fact = (subject: string, verb: string, rest: string): Fact => [
  `${subject} ${verb} ${rest}`,
  `${subject} ${verb === "is" ? "is no longer" : `no longer ${verb}`} ${rest}`,
];

const label = (name: unknown) => `\`${plain(String(name))}\``;

/** What a document may say of a field besides its values. */
const limits = {
  minimum: "at least #",
  maximum: "at most #",
  maxLength: "at most # characters long",
  default: "# if it is left out",
};

function bodyFacts(document: JsonObject, body: unknown, taker: string): Fact[] {
  const required = propertiesRequiredBy(document, body);
  return Object.entries(fieldsOf(document, body)).flatMap(([name, { values = [], ...stated }]) => [
    fact(taker, "takes", label(name)),
    ...(required.includes(name) ? [fact(taker, "requires", label(name))] : []),
    ...values.map((value) => fact(taker, "takes", `${label(value)} as ${label(name)}`)),
    ...Object.entries(stated)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]): Fact => {
        const limit = limits[key as keyof typeof limits].replace("#", () => label(value));
        return [`${label(name)} of ${taker} is ${limit}`, ""];
      }),
  ]);
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
