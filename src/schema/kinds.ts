import * as core from "zod/v4/core";
// By its own name, as TypeScript takes `core.$ZodType.init` for no assertion.
import { $ZodType } from "zod/v4/core";

// The kinds of schemas and checks that generated code is made of. What the document may ask for one day is taken from
// `zod/mini`. What it asks for today is made of the classes below: each function of `zod/mini` brings along what
// nobody uses here (`parse`, `brand`, `register` and more), a quarter of what would be loaded of zod.
export {
  boolean,
  catchall,
  gt,
  gte,
  intersection,
  lazy,
  lt,
  lte,
  maxLength,
  minLength,
  multipleOf,
  never,
  null,
  object,
  record,
  regex,
  strictObject,
  union,
  xor,
} from "zod/mini";

type Schema = core.$ZodType;

/** @param example one of the values that the document lists; the schema takes others too */
export function string(example?: string) {
  const definition = { type: "string" as const, example };
  return new core.$ZodString(definition) as core.$ZodString<string>;
}

export function number() {
  return new core.$ZodNumber({ type: "number", checks: [] }) as core.$ZodNumber<number>;
}

export function literal<const Values extends readonly core.util.Literal[]>(values: Values) {
  return new core.$ZodLiteral({ type: "literal", values: [...values] }) as core.$ZodLiteral<Values[number]>;
}

export function unknown(): core.$ZodUnknown {
  return new core.$ZodUnknown({ type: "unknown" });
}

export function optional<Inner extends Schema>(innerType: Inner) {
  return new core.$ZodOptional({ type: "optional", innerType }) as core.$ZodOptional<Inner>;
}

export function nullable<Inner extends Schema>(innerType: Inner) {
  return new core.$ZodNullable({ type: "nullable", innerType }) as core.$ZodNullable<Inner>;
}

export function array<Element extends Schema>(element: Element) {
  return new core.$ZodArray({ type: "array", element }) as core.$ZodArray<Element>;
}

/** An object that keeps the fields that it does not know. */
export function looseObject<Shape extends Record<string, Schema>>(shape: Shape) {
  return new LooseObject({ type: "object", shape }) as Schema as core.$ZodObject<Shape, core.$loose>;
}

interface LooseObject extends Schema {
  _zod: core.$ZodTypeInternals & { def: core.$ZodTypeDef & { shape: Record<string, Schema> } };
}

/** zod's own class of objects can do more, takes twice as long, and would be a tenth of what is loaded of zod. */
const LooseObject: core.$constructor<LooseObject> = /* @__PURE__ */ core.$constructor(
  "LooseObject",
  (inst, def) => {
    $ZodType.init(inst, def);
    const fields = Object.entries(def.shape);
    inst._zod.parse = (payload, context) => {
      const { value, issues } = payload;
      if (isObject(value)) payload.value = readFields(value, fields, issues, context);
      else issues.push({ code: "invalid_type", expected: "object", input: value });
      return payload;
    };
  },
);

/** A copy of the object with what the schemas of its fields make of them. What is wrong is added to the issues. */
function readFields(
  object: Record<string, unknown>,
  fields: [string, Schema][],
  issues: core.$ZodRawIssue[],
  context: core.ParseContextInternal,
): Record<string, unknown> {
  const copy = { ...object };
  for (const [name, { _zod: field }] of fields) {
    const read = field.run({ value: object[name], issues: [] }, context) as core.ParsePayload;
    if (read.value !== undefined) copy[name] = read.value;
    else if (read.issues.length === 0 && field.optin === undefined && !(name in object)) {
      issues.push({ code: "invalid_type", expected: "nonoptional", input: undefined, path: [name] });
    }
    for (const issue of read.issues) issues.push({ ...issue, path: [name, ...(issue.path ?? [])] });
  }
  return copy;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A function that looks at a value that has the right type, and adds to its issues. */
export type Check<Value = never> = (payload: core.ParsePayload<Value>) => void;

/** The same schema with more checks. */
export function checked<Checked extends Schema>(
  schema: Checked,
  ...checks: (core.$ZodCheck<never> | Check<core.output<Checked>>)[]
): Checked {
  const { def, constr } = schema._zod as unknown as {
    def: core.$ZodTypeDef;
    constr: new (def: object) => Checked;
  };
  const added = checks.map((check) =>
    typeof check === "function" ? { _zod: { check, def: { check: "custom" }, onattach: [] } } : check,
  );
  return new constr({ ...def, checks: [...(def.checks ?? []), ...added] });
}

/** A string whose length is counted in Unicode code points, as JSON Schema does. */
export function text(minLength: number, maxLength = Number.POSITIVE_INFINITY) {
  return checked(string(), (payload) => {
    const length = codePoints(payload.value);
    if (length > maxLength) add(payload, `Expected at most ${maxLength} characters, got ${length}`);
    if (length < minLength) {
      add(payload, `Expected at least ${minLength} character${minLength === 1 ? "" : "s"}, got ${length}`);
    }
  });
}

/** A whole number between bounds that it may reach. */
export function integer(minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY) {
  return checked(number(), (payload) => {
    const { value } = payload;
    if (!Number.isInteger(value)) add(payload, "Expected an integer");
    else if (value < minimum) add(payload, `Expected at least ${minimum}`);
    else if (value > maximum) add(payload, `Expected at most ${maximum}`);
  });
}

/** A check on an object: at least one of the properties is there. Reported once, for the object as a whole. */
export function requireOneOf(...names: [string, ...string[]]) {
  const expected = [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" or ");
  const message = names.length === 2 ? `Expected ${names.join(", ")} or both` : `Expected ${expected}`;
  return (payload: core.ParsePayload<Record<string, unknown>>): void => {
    if (names.every((name) => payload.value[name] === undefined || payload.value[name] === null)) {
      add(payload, message);
    }
  };
}

/** A check on an array: no item is there twice. */
export function requireDistinct(payload: core.ParsePayload<unknown[]>): void {
  const distinct = new Set(payload.value.map((item) => JSON.stringify(item)));
  if (distinct.size < payload.value.length) add(payload, "Expected no item twice");
}

/** A check on an answer: the id in it is not empty. */
export function requireText(name: string) {
  return (payload: core.ParsePayload<{ [key: string]: unknown }>): void => {
    if (payload.value[name] === "") add(payload, "Expected a string that is not empty", [name]);
  };
}

/** A check on a job: one that succeeded holds its result, though the document allows null there for the other states. */
export function requireResult(payload: core.ParsePayload<{ [key: string]: unknown }>): void {
  const { status, result } = payload.value;
  if (status === "succeeded" && (result === undefined || result === null)) {
    add(payload, "Expected the result of a job that succeeded", ["result"]);
  }
}

function add({ issues, value }: core.ParsePayload, message: string, path: string[] = []): void {
  issues.push({ code: "custom", input: value, path, message });
}

function codePoints(value: string): number {
  let length = value.length;
  for (let index = 0; index < value.length - 1; index++) {
    if ((value.codePointAt(index) as number) > 0xffff) {
      length--;
      index++;
    }
  }
  return length;
}
