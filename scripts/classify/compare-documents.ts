import { isObject, itemsOf, type JsonObject, membersOf } from "../openapi/json.js";
import { label, plain } from "../openapi/label.js";
import {
  bodySchema,
  isIdempotencyKey,
  isOwnHeader,
  isSuccess,
  jsonSchema,
  operationsIn,
} from "../openapi/operations.js";
import {
  additive,
  both,
  breaking,
  type Change,
  compareByName,
  compareDeprecation,
  comparePresence,
  docs,
  type Pair,
} from "./change.js";
import { compareSchemas } from "./compare-schemas.js";

type Operation = ReturnType<typeof operationsIn>[number] & { document: JsonObject };

/** What is different for users of the SDK between two normalised documents, operation by operation. */
export function compareDocuments(documents: Pair<JsonObject>): Change[] {
  const byName = (document: JsonObject) => {
    const named = operationsIn(document).map((one) => [`${one.method} ${one.path}`, { ...one, document }]);
    return new Map(named as [string, Operation][]);
  };
  return compareByName(both(documents, byName), {
    lost: (_, was) => breaking(`${callOf(was)} is no longer typed`),
    gained: (_, is) => additive(`${callOf(is)} is ${is.known ? "new" : "typed"}`),
    kept: (_, ...pair) => {
      const parts = [compareMark, compareInputs, compareAnswers, compareErrors, compareSecurity];
      return parts.flatMap((compare) => compare(pair, callOf(pair[1])));
    },
  });
}

/** How users call an operation. */
function callOf({ known, method, path }: Operation): string {
  return known ? `\`${known.call}\`` : `\`client.request("${method.toUpperCase()}", "${plain(path)}")\``;
}

function compareMark(pair: Pair<Operation>, call: string): Change[] {
  const operations = both(pair, ({ operation }) => operation);
  return compareDeprecation(operations, call);
}

/** What callers give: parameters and the body. The client sends some headers by itself. */
function compareInputs(pair: Pair<Operation>, call: string): Change[] {
  const need = (name: string) => (is: boolean) => `${call} ${is ? "requires" : "no longer requires"} ${name}`;
  return compareByName(both(pair, inputsOf), {
    lost: (name) => breaking(`${call} no longer takes ${name}`),
    gained: (name, { isNeeded }) =>
      isNeeded ? breaking(`${call} requires ${name}`) : additive(`${call} takes ${name}`),
    kept: (name, ...inputs) => [
      ...compareDeprecation(inputs, `${label(inputs[1].field)} of ${call}`),
      ...comparePresence([inputs[0].isNeeded, inputs[1].isNeeded], true, need(name)),
      ...(inputs[0].style === inputs[1].style ? [] : [breaking(`${call} takes ${name} in another style`)]),
      ...compareSchemas(
        [inputs[0].schema, inputs[1].schema],
        { documents: documentsOf(pair), direction: "request", owner: call },
        inputs[1].field,
      ),
    ],
  });
}

/** The parameters and the body of an operation, by their names in words. */
function inputsOf({ operation, parameters }: Operation) {
  const given = parameters.filter((one) => !isOwnHeader(one));
  const inputs = given.map((one) => ({
    name: `the ${one.in} parameter ${label(one.name)}`,
    field: String(one.name),
    isNeeded: one.required === true && !isIdempotencyKey(one),
    style: styleOf(one),
    schema: one.schema ?? jsonSchema(one) ?? {},
    deprecated: one.deprecated,
  }));
  const schema = bodySchema(operation);
  const isNeeded = Object(operation.requestBody).required === true;
  const body = { name: "a body", field: "", isNeeded, style: "json", schema, deprecated: false };
  return new Map([...inputs, ...(schema === undefined ? [] : [body])].map((input) => [input.name, input]));
}

const documentsOf = (pair: Pair<Operation>) => both(pair, ({ document }) => document);

function styleOf({ in: place, content, ...stated }: JsonObject): string {
  const { style = place === "query" || place === "cookie" ? "form" : "simple" } = stated;
  const { explode = style === "form" } = stated;
  return isObject(content) ? "json" : `${style} ${explode}`;
}

/** The answers of success, of which callers know only that it was one. */
function compareAnswers(pair: Pair<Operation>, call: string): Change[] {
  const owner = `the answer of ${call}`;
  const [was, is] = both(pair, ({ operation }) => {
    const successes = membersOf(operation.responses).filter(([status]) => isSuccess(status));
    const schemas = successes.map(([, answer]) => jsonSchema(answer));
    return { anyOf: schemas.filter((one) => one !== undefined), isEmpty: schemas.includes(undefined) };
  });
  const empty = is.isEmpty && !was.isEmpty ? [breaking(`${owner} may be empty`)] : [];
  if (is.anyOf.length === 0) return empty;
  if (was.anyOf.length === 0) return [...empty, breaking(`${owner} may be JSON`)];
  return [
    ...empty,
    ...compareSchemas([was, is], { documents: documentsOf(pair), direction: "answer", owner }),
  ];
}

/** The SDK takes any error, so what a document says of one binds nobody. */
function compareErrors(pair: Pair<Operation>, call: string): Change[] {
  const errors = ({ operation }: Operation) =>
    new Map(membersOf(operation.responses).filter(([status]) => !isSuccess(status)));
  const nameOf = (status: string) => `the answer ${plain(status)} of ${call}`;
  return compareByName(both(pair, errors), {
    lost: (status) => docs(`${nameOf(status)} is no longer described`),
    gained: (status) => additive(`${nameOf(status)} is described`),
    kept: (status, ...errors) => {
      const schemas = both(errors, (error) => jsonSchema(error));
      const owner = nameOf(status);
      if (schemas[0] === undefined) {
        return schemas[1] === undefined ? [] : [additive(`the body of ${owner} is described`)];
      }
      const found = compareSchemas(schemas, { documents: documentsOf(pair), direction: "answer", owner });
      return found.map(({ level, words }) => (level === "docs" ? docs(words) : additive(words)));
    },
  });
}

/** Whoever was let in by what it sent must be let in. */
function compareSecurity(pair: Pair<Operation>, call: string): Change[] {
  const [was, is] = both(pair, waysIn);
  const isIn = (ways: string[][], sent: string[]) =>
    ways.some((way) => way.every((one) => sent.includes(one)));
  if (!was.every((sent) => isIn(is, sent))) return [breaking(`${call} takes the key in another way`)];
  return is.every((sent) => isIn(was, sent))
    ? []
    : [additive(`${call} takes the key in a further way, or none`)];
}

/** The ways to authenticate, each a list of what has to be sent, by its meaning and not by its name. */
function waysIn({ document, operation }: Operation): string[][] {
  const { securitySchemes } = Object(document.components) as JsonObject;
  const meaningOf = (name: string) => {
    const scheme = Object(Object(securitySchemes)[name]) as JsonObject;
    const { type = name, in: place, name: field } = scheme;
    // HTTP's names of headers and schemes are case-insensitive.
    const key = place === "header" ? String(field).toLowerCase() : field;
    return [type, place, key, String(scheme.scheme).toLowerCase()].join(" ");
  };
  const ways = itemsOf(operation.security ?? document.security);
  return ways.length > 0 ? ways.map((way) => membersOf(way).map(([name]) => meaningOf(name))) : [[]];
}
