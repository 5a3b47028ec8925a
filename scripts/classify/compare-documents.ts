import { isObject, type JsonObject, membersOf } from "../openapi/json.js";
import {
  bodySchema,
  isIdempotencyKey,
  isOwnHeader,
  isSuccess,
  jsonSchema,
  operationsIn,
} from "../openapi/operations.js";
import { label, plain } from "../refusal.js";
import {
  additive,
  both,
  breaking,
  type Change,
  compareByName,
  compareDeprecation,
  comparePresence,
  docs,
  it,
  type Pair,
  those,
} from "./change.js";
import { compareSchemas } from "./compare-schemas.js";
import { compareCalls, compareSecurity } from "./compare-service.js";

type Operation = ReturnType<typeof operationsIn>[number] & { document: JsonObject };

/** What is different for users of the SDK between two normalised documents, operation by operation. */
export function compareDocuments(documents: Pair<JsonObject>, newMethods: readonly string[]): Change[] {
  const byName = (document: JsonObject) => {
    const named = operationsIn(document).map((one) => [`${one.method} ${one.path}`, { ...one, document }]);
    return new Map(named as [string, Operation][]);
  };
  const about = (operation: Operation, changes: Change[]) =>
    changes.map((change) => ({ ...change, call: change.call ?? callOf(operation) }));
  return compareByName(both(documents, byName), {
    lost: (_, was) => about(was, [breaking(`${it} is no longer typed`)]),
    gained: (_, is) => about(is, [additive(`${it} is ${is.known ? "new" : "typed"}`)]),
    kept: (_, ...pair) => {
      const operations = both(pair, ({ operation }) => operation);
      const callbacks = both(operations, (one) => one.callbacks);
      return about(pair[1], [
        ...(newMethods.includes(String(pair[1].known?.name)) ? [additive(`${it} is new`)] : []),
        ...compareDeprecation(operations, it),
        ...[compareInputs, compareAnswers, compareErrors, compareHeaders].flatMap((compare) => compare(pair)),
        ...compareCalls(callbacks, `${it} has the callback(s) ${those}`),
        ...compareSecurity(pair),
      ]);
    },
  });
}

/** How users call an operation: by its method, or by its path. */
export function callOf({ known, method, path }: Pick<Operation, "known" | "method" | "path">): string {
  return known ? `\`${known.call}\`` : `\`client.request("${method.toUpperCase()}", "${plain(path)}")\``;
}

/** What callers give: parameters and the body. The client sends some headers by itself. */
function compareInputs(pair: Pair<Operation>): Change[] {
  const need = (is: boolean) => `${it} ${is ? "requires" : "no longer requires"} ${those}`;
  const told = ({ call }: Pick<Change, "call">, changes: Change[]) =>
    changes.map((change) => ({ ...change, call }));
  return compareByName(both(pair, inputsOf), {
    lost: (name, was) => told(was, [breaking(`${it} no longer takes ${those}`, name)]),
    gained: (name, is) =>
      told(is, [
        (is.isNeeded ? breaking : additive)(`${it} ${is.isNeeded ? "requires" : "takes"} ${those}`, name),
      ]),
    kept: (name, ...inputs) =>
      told(inputs[1], [
        ...compareDeprecation(inputs, `${label(inputs[1].field)} of ${it}`),
        ...comparePresence([inputs[0].isNeeded, inputs[1].isNeeded], true, need, name),
        ...(inputs[0].style === inputs[1].style ? [] : [breaking(`${it} takes ${name} in another style`)]),
        ...compareSchemas(
          [inputs[0].schema, inputs[1].schema],
          { documents: documentsOf(pair), direction: "request", owner: it },
          inputs[1].field,
        ),
      ]),
  });
}

/** The parameters and the body of an operation, by their names in words. */
function inputsOf({ operation, parameters, known, ...place }: Operation) {
  const given = parameters.filter((one) => !isOwnHeader(one));
  const inputs = given.map((one) => ({
    name: `the ${one.in} parameter ${label(one.name)}`,
    field: String(one.name),
    isNeeded: one.required === true && !isIdempotencyKey(one),
    style: styleOf(one),
    schema: one.schema ?? jsonSchema(one) ?? {},
    deprecated: one.deprecated,
    /** What the operation's method does not take. */
    call: one.in === "query" && !known?.takesQuery ? callOf({ ...place, known: undefined }) : undefined,
  }));
  const schema = bodySchema(operation);
  const isNeeded = Object(operation.requestBody).required === true;
  const body = {
    name: "a body",
    field: "",
    isNeeded,
    style: "json",
    schema,
    deprecated: false,
    call: undefined,
  };
  return new Map([...inputs, ...(schema === undefined ? [] : [body])].map((input) => [input.name, input]));
}

const documentsOf = (pair: Pair<Operation>) => both(pair, ({ document }) => document);

function styleOf({ in: place, content, ...stated }: JsonObject): string {
  const { style = place === "query" || place === "cookie" ? "form" : "simple" } = stated;
  const { explode = style === "form" } = stated;
  return isObject(content) ? "json" : `${style} ${explode}`;
}

/** The answers of success, of which callers know only that it was one. */
function compareAnswers(pair: Pair<Operation>): Change[] {
  const owner = `the answer of ${it}`;
  const [was, is] = both(pair, ({ operation }) => {
    const successes = membersOf(operation.responses).filter(([status]) => isSuccess(status));
    const schemas = successes.map(([, answer]) => jsonSchema(answer));
    return { anyOf: schemas.filter((one) => one !== undefined), isEmpty: schemas.includes(undefined) };
  });
  const empty = is.isEmpty && !was.isEmpty ? [breaking(`${owner} may be empty`)] : [];
  if (is.anyOf.length === 0) return empty;
  if (was.anyOf.length === 0) return [...empty, breaking(`${owner} may be JSON`)];
  const subject = { documents: documentsOf(pair), direction: "answer", owner } as const;
  const statusField = pair[1].known?.name === "getJob" ? "status" : undefined;
  return [...empty, ...compareSchemas([was, is], { ...subject, statusField })];
}

/** The SDK takes any error, so what a document says of one binds nobody. */
function compareErrors(pair: Pair<Operation>): Change[] {
  const errors = ({ operation }: Operation) =>
    new Map(membersOf(operation.responses).filter(([status]) => !isSuccess(status)));
  const inWords = (status: string) => (status === "default" ? label(status) : plain(status));
  const answers = `the answer(s) ${those} of ${it}`;
  return compareByName(both(pair, errors), {
    lost: (status) => [docs(`the document no longer describes ${answers}`, inWords(status))],
    gained: (status) => [additive(`the document describes ${answers}`, inWords(status))],
    kept: (status, ...errors) => {
      const schemas = both(errors, (error) => jsonSchema(error));
      const [was, is] = schemas;
      if (was === undefined || is === undefined) {
        const [change, verb] = is === undefined ? [docs, "no longer describes"] : [additive, "describes"];
        const words = `the document ${verb} the body of ${answers}`;
        return was === is ? [] : [change(words, inWords(status))];
      }
      const owner = `the answer ${inWords(status)} of ${it}`;
      const found = compareSchemas(schemas, { documents: documentsOf(pair), direction: "answer", owner });
      return found.map((one) => ({ ...one, level: one.level === "docs" ? "docs" : "additive" }));
    },
  });
}

/** The headers of all answers, which callers see in `onResponse` and in errors. */
function compareHeaders(pair: Pair<Operation>): Change[] {
  const headers = ({ operation }: Operation) => {
    const answers = membersOf(operation.responses).map(([, answer]) => Object(answer) as JsonObject);
    const names = answers.flatMap((one) => membersOf(one.headers).map(([name]) => name));
    return new Map(names.map((name) => [name.toLowerCase(), label(name)]));
  };
  return compareByName(both(pair, headers), {
    lost: (_, name) => [docs(`answers of ${it} no longer list the header(s) ${those}`, name)],
    gained: (_, name) => [additive(`answers of ${it} may have the header(s) ${those}`, name)],
  });
}
