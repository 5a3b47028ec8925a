import { isObject, itemsOf, type JsonObject, membersOf } from "../openapi/json.js";
import { knownOperations } from "../openapi/known-operations.js";
import { label, plain } from "../openapi/label.js";
import {
  bodySchema,
  isIdempotencyKey,
  isOwnHeader,
  isSuccess,
  jsonContent,
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
  return compareByName(both(documents, operationsByName), {
    lost: (_, was) => breaking(`${callOf(was)} is no longer typed`),
    gained: (_, is) => additive(`${callOf(is)} is ${knownOf(is) ? "new" : "typed"}`),
    kept: (_, ...pair) => parts.flatMap((compare) => compare(pair, callOf(pair[1]))),
  });
}

const parts = [
  compareMarks,
  compareParameters,
  compareBodies,
  compareAnswers,
  compareErrors,
  compareSecurity,
];

function operationsByName(document: JsonObject): Map<string, Operation> {
  const named = operationsIn(document).map(
    (one) => [`${one.method} ${one.path}`, { ...one, document }] as const,
  );
  return new Map(named);
}

function knownOf({ method, path }: Operation) {
  return knownOperations.find((one) => one.method === method && one.path === path);
}

/** How users call an operation. */
function callOf(operation: Operation): string {
  const { method, path } = operation;
  const known = knownOf(operation);
  return known ? `\`${known.call}\`` : `\`client.request("${method.toUpperCase()}", "${plain(path)}")\``;
}

const documentsOf = (pair: Pair<Operation>) => both(pair, ({ document }) => document);

function compareMarks(pair: Pair<Operation>, call: string): Change[] {
  return compareDeprecation(
    both(pair, ({ operation }) => operation),
    call,
  );
}

/** What callers have to give besides the body. The client sends some headers by itself. */
function compareParameters(pair: Pair<Operation>, call: string): Change[] {
  const given = ({ parameters }: Operation) =>
    parameters.filter((one) => !isOwnHeader(one)).map((one) => [`${one.in} ${one.name}`, one] as const);
  const isNeeded = (one: JsonObject) => one.required === true && !isIdempotencyKey(one);
  const nameOf = (one: JsonObject) => `the ${one.in} parameter ${label(one.name)}`;
  return compareByName(
    both(pair, (operation) => new Map(given(operation))),
    {
      lost: (_, was) => breaking(`${call} no longer takes ${nameOf(was)}`),
      gained: (_, is) =>
        isNeeded(is) ? breaking(`${call} requires ${nameOf(is)}`) : additive(`${call} takes ${nameOf(is)}`),
      kept: (_, was, is) => [
        ...compareDeprecation([was, is], `${label(is.name)} of ${call}`),
        ...comparePresence([isNeeded(was), isNeeded(is)], true, need(call, nameOf(is))),
        ...(styleOf(was) === styleOf(is) ? [] : [breaking(`${call} takes ${nameOf(is)} in another style`)]),
        ...compareSchemas(
          [schemaOf(was), schemaOf(is)],
          { documents: documentsOf(pair), direction: "request", owner: call },
          String(is.name),
        ),
      ],
    },
  );
}

const need = (call: string, what: string) => (is: boolean) =>
  `${call} ${is ? "requires" : "no longer requires"} ${what}`;

const schemaOf = ({ schema, content }: JsonObject) => schema ?? jsonContent(content)?.entry.schema ?? {};

function styleOf({ in: place, content, ...stated }: JsonObject): string {
  const { style = place === "query" || place === "cookie" ? "form" : "simple" } = stated;
  const { explode = style === "form" } = stated;
  return isObject(content) ? "json" : `${style} ${explode}`;
}

function compareBodies(pair: Pair<Operation>, call: string): Change[] {
  const body = ({ operation }: Operation) => {
    const schema = bodySchema(operation);
    const isNeeded = Object(operation.requestBody).required === true;
    return new Map(schema === undefined ? [] : [["a body", { schema, isNeeded }]]);
  };
  return compareByName(both(pair, body), {
    lost: (name) => breaking(`${call} no longer takes ${name}`),
    gained: (name, { isNeeded }) =>
      isNeeded ? breaking(`${call} requires ${name}`) : additive(`${call} takes ${name}`),
    kept: (name, was, is) => [
      ...comparePresence([was.isNeeded, is.isNeeded], true, need(call, name)),
      ...compareSchemas([was.schema, is.schema], {
        ...{ documents: documentsOf(pair), direction: "request", owner: call },
      }),
    ],
  });
}

/** The answers of success, of which callers know only that it was one. */
function compareAnswers(pair: Pair<Operation>, call: string): Change[] {
  const owner = `the answer of ${call}`;
  const [was, is] = both(pair, ({ operation }) => {
    const successes = membersOf(operation.responses).filter(([status]) => isSuccess(status));
    const schemas = successes.map(([, answer]) => jsonContent(Object(answer).content)?.entry.schema);
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
    kept: (status, was, is) =>
      compareSchemas([schemaOf(Object(was)), schemaOf(Object(is))], {
        ...{ documents: documentsOf(pair), direction: "answer", owner: nameOf(status) },
      }).map(({ level, words }) => (level === "docs" ? docs(words) : additive(words))),
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
