import { isObject, itemsOf, type JsonObject, membersOf, sortedMembersOf } from "../openapi/json.js";
import { hasOnly, isNumberType, typesOf, valuesOf } from "../openapi/keywords.js";
import { jsonContent, knownIn, sentMediaType } from "../openapi/operations.js";
import { propertyOf, referenceOf, resolve } from "../openapi/walk.js";
import { sampler } from "./sampler.js";

/** The fields in which common APIs put messages for people, in the order in which the client looks into them. */
export const messageFields = [
  "message",
  // If it is present, `error` is a code: https://www.rfc-editor.org/rfc/rfc6749#section-5.2
  "error_description",
  "error",
  "detail",
  "errors",
  "title",
  "description",
  "reason",
  "msg",
  // The fields of gateways' own refusals: those of AWS, and Apigee.
  "Message",
  "errorMessage",
  "error_message",
  "fault",
  "faultstring",
];

/** The keys of answers that are errors. */
const isError = /^(?:[45](?:\d\d|XX)|default)$/i;

/** The fields in which common APIs repeat the status of an answer. */
const statusFields = ["status", "statusCode", "status_code", "httpStatus", "http_status"];

/** What an answer is told when it is made, as code in its body. */
const [toldMessage, toldCode] = [Symbol("told.message"), Symbol("told.code")];
const [toldStatus, toldStatusText] = [Symbol("told.status"), Symbol("String(told.status)")];

/**
 * How each operation with an SDK method answers with an error, by status, as code: a status that the document lists has
 * a member, whose body is made from a message, a code and the status if the document describes it.
 */
export function emitErrors(document: JsonObject): string {
  const lines = knownIn(document).flatMap(({ known, operation }) => {
    const errors = sortedMembersOf(operation.responses).filter(([status]) => isError.test(status));
    const answers = errors.map(
      ([status, answer]) => `    ${keyOf(status)}: ${emitAnswer(document, Object(answer))},`,
    );
    return [`  ${known.name}: {`, ...answers, "  },"];
  });
  return ["{", ...lines, "}"].join("\n");
}

const keyOf = (status: string) => JSON.stringify(status.replace(/x/gi, "X"));

function emitAnswer(document: JsonObject, answer: JsonObject): string {
  const { mediaType, schema } = contentOf(answer);
  const body = schema === undefined ? undefined : errorBody(document, schema);
  const isDescribed = body !== undefined && !(isObject(body) && Object.keys(body).length === 0);
  if (!isDescribed) return "{}";
  const code = written(body);
  const told = code.includes("told.") ? "told" : "";
  return `{ mediaType: ${JSON.stringify(mediaType)}, body: (${told}) => (${code}) }`;
}

/** What the body of an answer is, if the document says it: JSON or a text. */
function contentOf({ content, [sentMediaType]: mediaType = "application/json" }: JsonObject) {
  const json = jsonContent(content);
  if (json) return { mediaType, schema: json.entry.schema };
  const [text] = sortedMembersOf(content).filter(([name]) => /^text\/plain\b/i.test(name));
  return text ? { mediaType: text[0], schema: { type: "string" } } : {};
}

/** A body with the fields that its schema requires, and with a message and a code where it has them. */
function errorBody(document: JsonObject, schema: unknown): unknown {
  /** How many more parts are looked at. */
  let left = 1_000;
  const sample = (part: unknown) =>
    sampler(document, "required", statusIn)(part, { name: "error", index: 0, followed: [] });

  /** A part of the body with the message in it; undefined if it has no place for one. */
  const withMessage = (part: unknown, followed: readonly string[], isInner = true): unknown => {
    const reference = referenceOf(part) ?? "";
    if (part === undefined || followed.includes(reference) || left-- <= 0) return undefined;
    const whole = resolve(document, part);
    if (isText(whole) || (isInner && hasOnly(whole))) return toldMessage;
    const within = reference ? [...followed, reference] : followed;
    return inAlternative(whole, within) ?? inList(whole, within) ?? inObject(whole, within);
  };

  const inAlternative = ({ anyOf, oneOf, ...own }: JsonObject, followed: readonly string[]) => {
    const body = firstOf([...itemsOf(anyOf), ...itemsOf(oneOf)], (one) => withMessage(one, followed));
    return isObject(body) ? { ...Object(sample(own)), ...body } : body;
  };

  const inList = (own: JsonObject, followed: readonly string[]) => {
    const item = typesOf(own).includes("array") ? withMessage(own.items, followed) : undefined;
    return item === undefined ? undefined : [item, ...itemsOf(sample(own)).slice(1)];
  };

  const inObject = (own: JsonObject, followed: readonly string[]) =>
    firstOf(messageFields, (field) => {
      const message = withMessage(propertyOf(document, own, field), followed);
      return message === undefined ? undefined : withCode(own, { ...Object(sample(own)), [field]: message });
    });

  const withCode = (part: unknown, body: unknown) => {
    const code = codeFor(resolve(document, propertyOf(document, part, "code")));
    return isObject(body) && code ? { ...body, code } : body;
  };

  return withMessage(schema, [], false) ?? withCode(schema, sample(schema));
}

/** What a code is by its schema: the one told, or the first of a list that lacks it; undefined if it is no text. */
function codeFor(schema: JsonObject): symbol | undefined {
  const texts = valuesOf(schema)?.filter((value) => typeof value === "string") ?? [];
  if (texts.length === 0) return isText(schema) ? toldCode : undefined;
  return Symbol(`${JSON.stringify(texts)}.find((one) => one === told.code) ?? ${JSON.stringify(texts[0])}`);
}

/** The status in a body that repeats it: https://www.rfc-editor.org/rfc/rfc9457#section-3.1.2 */
function statusIn(schema: JsonObject, { name }: { name: string }): symbol | undefined {
  if (!statusFields.includes(name)) return undefined;
  const [first, ...others] = valuesOf(schema)?.filter((value) => value !== null) ?? [];
  if (others.length > 0) {
    const listed = JSON.stringify([first, ...others]);
    return Symbol(`${listed}.find((one) => String(one) === String(told.status)) ?? ${JSON.stringify(first)}`);
  }
  if (first !== undefined) return undefined;
  if (typesOf(schema).some(isNumberType)) return toldStatus;
  return isText(schema) ? toldStatusText : undefined;
}

/** The first of what is made of the values that is not undefined. */
function firstOf<Value, Made>(values: readonly Value[], make: (value: Value) => Made): Made | undefined {
  for (const value of values) {
    const made = make(value);
    if (made !== undefined) return made;
  }
  return undefined;
}

/** Whether a schema takes any text. */
function isText(schema: JsonObject): boolean {
  const isOpen = hasOnly(schema, ["type", "minLength", "maxLength"]);
  return isOpen && typesOf(schema).includes("string");
}

/** A value as code, in which a symbol stands for its own text. */
function written(value: unknown): string {
  if (typeof value === "symbol") return String(value.description);
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{ ${membersOf(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${written(member)}`)
    .join(", ")} }`;
}
