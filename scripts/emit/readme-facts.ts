import { groupedByName, itemsOf, type JsonObject } from "../openapi/json.js";
import { deprecatedValues } from "../openapi/keywords.js";
import { bodySchema, knownIn, listedValues } from "../openapi/operations.js";
import { partsOf, propertyOf } from "../openapi/walk.js";
import { label } from "../refusal.js";
import { fieldsOf } from "./emit-values.js";

type Facts = ReturnType<typeof fieldsOf>[string] & {
  rule: "required" | "one of both" | "optional";
  /** The values that the document lists of a text that may be any. */
  listed: unknown[];
  deprecated: unknown[];
};

/** The README with what the document says, in the parts between the marks `<!-- facts -->` and `<!-- /facts -->`. */
export function withFacts(readme: string, document: JsonObject, price: number): string {
  const fields = parameterFacts(document);
  return readme.replaceAll(/<!-- facts -->.*?<!-- \/facts -->/gs, (part) =>
    withPrice(withRows(part, fields), price),
  );
}

/** What the document says of each parameter of the creates. */
export function parameterFacts(document: JsonObject): Map<string, Facts> {
  const facts = knownIn(document).flatMap(({ operation }) => {
    const body = bodySchema(operation);
    const lists = partsOf(document, body).flatMap(({ required }) => (required ? [itemsOf(required)] : []));
    const ruleOf = (name: string) => {
      if (!lists.some((list) => list.includes(name))) return "optional";
      return lists.every((list) => list.includes(name)) ? "required" : "one of both";
    };
    return Object.entries(fieldsOf(document, body)).map(([name, facts]) => {
      const parts = partsOf(document, propertyOf(document, body, name));
      const [listed, deprecated] = [listedValues, deprecatedValues].map((key) =>
        parts.flatMap((part) => itemsOf(part[key])),
      ) as [unknown[], unknown[]];
      return [name, { ...facts, rule: ruleOf(name), listed, deprecated }] as const;
    });
  });
  return new Map(facts);
}

/** Keeps of each row its first two cells, which people write. Names of which a cell shows the same have the same words. */
function withRows(part: string, fields: Map<string, Facts>): string {
  const rows = [...part.matchAll(/^\| (`[^`|\n]+`) \| ([^|\n]*)\|.*\n/gm)];
  const [first] = rows;
  if (!first) return part;
  const words = new Map(rows.map(([, name = "", told = ""]) => [name, told.trim()]));
  const named = groupedByName([...fields].map(([name, facts]) => [label(name), facts]));
  const names = new Set([...words.keys(), ...named.keys()]);
  const table = [...names].flatMap((name) =>
    (named.get(name) ?? []).map((facts) => {
      const cells = [name, words.get(name) ?? "", allowed(facts), usual(facts)];
      return `|${cells.map((cell) => ` ${cell && `${cell} `}|`).join("")}\n`;
    }),
  );
  const last = rows.at(-1) ?? first;
  return part.slice(0, first.index) + table.join("") + part.slice(last.index + last[0].length);
}

/** The most values that a row lists: more are told by their number. */
const maxValues = 12;

function allowed(facts: Facts): string {
  const { values = [], listed, deprecated, minimum, maximum, maxLength, rule } = facts;
  const told = (value: unknown) => label(value) + (deprecated.includes(value) ? " (deprecated)" : "");
  const list = (all: unknown[]) => (all.length > maxValues ? [`${all.length} values`] : all.map(told));
  const limits = [
    list(values).join(", "),
    listed.length > 0 ? [...list(listed), "or any other"].join(", ") : "",
    limitWords(minimum, maximum),
    maxLength === undefined ? "" : `at most ${maxLength} characters`,
    rule === "required" && facts.default === undefined ? "required" : "",
    rule === "one of both" ? "one store URL, or both" : "",
  ];
  return limits.filter(Boolean).join("; ") || "any";
}

function limitWords(minimum?: number, maximum?: number): string {
  if (minimum === undefined) return maximum === undefined ? "" : `at most ${maximum}`;
  return maximum === undefined ? `at least ${minimum}` : `${minimum} to ${maximum}`;
}

function usual({ default: value, rule }: Facts): string {
  if (value !== undefined) return typeof value === "number" ? String(value) : label(value);
  return rule === "optional" ? "none" : "";
}

/** What a month of the mock allows, as the README's session shows. */
const allowance = 100;

function withPrice(part: string, price: number): string {
  return part
    .replace(/A set costs [\d.]+ credits/, `A set costs ${price} credits`)
    .replaceAll(
      /[\d.]+ credits were charged, [\d.]+ are left/g,
      `${price} credits were charged, ${allowance - price} are left`,
    );
}
