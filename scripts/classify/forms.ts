import { admitsNull, branchesOf } from "../normalise/join-schemas.js";
import {
  canonicalJson,
  distinct,
  groupedByName,
  isObject,
  type JsonObject,
  sortedMembersOf,
} from "../openapi/json.js";
import { hasOnly, isOfType, rangeOf, typesOf, valuesOf } from "../openapi/keywords.js";
import { Refusal } from "../refusal.js";
import { label } from "./change.js";

/** One alternative of a schema, of one type. */
export type Form = JsonObject & { type: string };

/** The alternatives of a schema, each of one type. */
export function formsOf(document: JsonObject, schema: unknown): Form[] {
  const forms = alternativesIn(document, schema).flatMap((branch) => {
    const types = typesOf(branch).filter((type) => type !== "null");
    const values = valuesOf(branch);
    return (types.length > 0 ? types : ["any"]).map((type): Form => {
      const own = values?.filter((value) => type === "any" || isOfType(value, type));
      const isWhole =
        type === "number" && (own?.every(Number.isInteger) ?? Number.isInteger(branch.multipleOf));
      return { ...branch, type: isWhole ? "integer" : type, ...(own && { enum: own }) };
    });
  });
  if (admitsNull(document, schema)) forms.push({ type: "null" });
  const open = forms.find(({ type, ...rules }) => type === "any" && hasOnly(rules));
  return open ? [open] : distinct(forms, canonicalJson);
}

/** A form of whole numbers in the one way to say their bounds: not as a list, and not as what lies beyond. */
export function withPlainBounds(form: Form): Form {
  if (form.type !== "integer") return form;
  const {
    enum: listed,
    const: _,
    exclusiveMinimum: above,
    exclusiveMaximum: below,
    multipleOf = 1,
    ...rest
  } = form;
  const bounds = [rest.minimum, isNumber(above) ? Math.floor(above) + 1 : undefined].filter(isNumber);
  const limits = [rest.maximum, isNumber(below) ? Math.ceil(below) - 1 : undefined].filter(isNumber);
  const step = multipleOf === 1 ? {} : { multipleOf };
  const range = rangeOf(listed);
  if (listed !== undefined && !range) return form;
  const minimum = Math.max(...bounds, ...(range ? [range.minimum] : []));
  const maximum = Math.min(...limits, ...(range ? [range.maximum] : []));
  return {
    ...rest,
    ...step,
    ...(Number.isFinite(minimum) && { minimum }),
    ...(Number.isFinite(maximum) && { maximum }),
  };
}

const isNumber = (value: unknown): value is number => typeof value === "number";

/** The alternatives besides null; any value if they are too many, as they may be in what the SDK does not call. */
function alternativesIn(document: JsonObject, schema: unknown): JsonObject[] {
  try {
    return branchesOf(document, schema);
  } catch (error) {
    if (error instanceof Refusal) return [{}];
    throw error;
  }
}

/** What two forms have in common if one became the other, the most telling first. */
const likenesses: ((form: Form) => string)[] = [
  canonicalJson,
  (form) => `${familyOf(form)} ${kindOf(form) || namesOf(form)}`,
  (form) => `${familyOf(form)} ${namesOf(form)}`,
  (form) => `${familyOf(form)} ${kindOf(form)}`,
];

/** The most similar other form for each form, if there is one. */
export function partnersOf(forms: Form[], others: Form[]): Map<Form, Form> {
  const partners = new Map<Form, Form>();
  const free = new Set(others);
  for (const likeness of likenesses) {
    const alike = groupedByName([...free].map((other) => [likeness(other), other]));
    for (const form of forms.filter((form) => !partners.has(form))) {
      const partner = alike.get(likeness(form))?.shift();
      if (partner) partners.set(form, partner);
      free.delete(partner as Form);
    }
  }
  // Several may have become one, if they are not of another kind.
  const families = new Map(others.map((other) => [familyOf(other), other]));
  for (const form of forms.filter((form) => !partners.has(form))) {
    const partner = families.get(familyOf(form));
    if (partner && !(kindOf(form) && kindOf(partner))) partners.set(form, partner);
  }
  return partners;
}

const familyOf = ({ type }: Form) => (type === "integer" ? "number" : type);

const namesOf = ({ properties }: Form) => `${sortedMembersOf(properties).map(([name]) => name)}`;

/** The fields of an object that have one value, which tells it from the other kinds. */
function kindOf({ properties }: Form): string {
  const marks = sortedMembersOf(properties).flatMap(([name, property]) => {
    const values = isObject(property) ? valuesOf(property) : undefined;
    return values?.length === 1 ? [`${label(name)} ${label(values[0])}`] : [];
  });
  return marks.join(" and ");
}

/** A form in words, such as "an object with `kind` `photo`". */
export function nameOf(form: Form): string {
  const kind = kindOf(form);
  return named(form.type) + (kind && ` with ${kind}`);
}

/** A type in words. */
export function named(type: string): string {
  if (type === "any" || type === "null") return type === "any" ? "anything" : type;
  return `${/^[aeio]/.test(type) ? "an" : "a"} ${type}`;
}
