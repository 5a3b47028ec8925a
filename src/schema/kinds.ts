import * as z from "zod/mini";

// The parts of generated schemas: the functions of `zod/mini`, and those below for the parts of JSON Schema that zod
// does not have.
export * from "zod/mini";

type Payload<Value = unknown> = z.core.ParsePayload<Value>;

/** The same schema with additional checks. */
export function checked<Checked extends z.ZodMiniType>(
  schema: Checked,
  ...checks: (z.core.CheckFn<z.core.output<Checked>> | z.core.$ZodCheck<z.core.output<Checked>>)[]
): Checked {
  return schema.check(...checks);
}

/** A string whose length is counted in Unicode code points, as JSON Schema does. */
export function text(minLength: number, maxLength = Number.POSITIVE_INFINITY) {
  return z.string().check((payload) => {
    const pairs = payload.value.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0;
    const length = payload.value.length - pairs;
    if (length > maxLength) add(payload, `Expected at most ${maxLength} characters, got ${length}`);
    if (length < minLength) {
      add(payload, `Expected at least ${minLength} character${minLength === 1 ? "" : "s"}, got ${length}`);
    }
  });
}

/** A whole number between inclusive bounds. */
export function integer(minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY) {
  return z.number().check((payload) => {
    const { value } = payload;
    if (!Number.isInteger(value)) add(payload, "Expected an integer");
    else if (value < minimum) add(payload, `Expected at least ${minimum}`);
    else if (value > maximum) add(payload, `Expected at most ${maximum}`);
  });
}

/** A check that an object has at least one of the properties. Reported once, for the object as a whole. */
export function requireOneOf(...names: [string, ...string[]]) {
  const message = `Expected ${names.join(", ")}${names.length === 2 ? " or both" : ": at least one of them"}`;
  return (payload: Payload<Record<string, unknown>>): void => {
    if (names.every((name) => payload.value[name] === undefined || payload.value[name] === null)) {
      add(payload, message);
    }
  };
}

/** A check that no item of an array occurs twice. */
export function requireDistinct(payload: Payload<unknown[]>): void {
  const distinct = new Set(payload.value.map((item) => JSON.stringify(item)));
  if (distinct.size < payload.value.length) add(payload, "Expected no item twice");
}

function add({ issues, value }: Payload, message: string): void {
  issues.push({ code: "custom", input: value, path: [], message });
}
