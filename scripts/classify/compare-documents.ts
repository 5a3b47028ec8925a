import { isObject, type JsonObject, membersOf } from "../openapi/json.js";
import {
  bodySchema,
  isIdempotencyKey,
  isOwnHeader,
  isSuccess,
  jsonSchema,
  operationsIn,
} from "../openapi/operations.js";
import { plain } from "../refusal.js";
import {
  additive,
  beforeMerge,
  both,
  breaking,
  type Change,
  compareByName,
  comparePresence,
  docs,
  it,
  label,
  type Pair,
  those,
} from "./change.js";
import { compareErrors } from "./compare-errors.js";
import { compareSchemas } from "./compare-schemas.js";
import { compareCalls, compareSecurity, type Operation } from "./compare-service.js";
import { compareDeprecation } from "./deprecation.js";

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
    lost: (name, was) =>
      told(was, [breaking(was.isKey ? `${it} ${notRetried}` : `${it} no longer takes ${those}`, name)]),
    gained: (name, is) => told(is, is.isKey ? [gainedKey(is.field)] : [gainedInput(is.isNeeded, name)]),
    kept: (name, ...inputs) =>
      told(inputs[1], [
        ...compareDeprecation(
          both(inputs, ({ stated }) => stated),
          `${label(inputs[1].field)} of ${it}`,
        ),
        ...comparePresence([inputs[0].isNeeded, inputs[1].isNeeded], true, need, name),
        ...(inputs[0].style === inputs[1].style ? [] : [breaking(`${it} takes ${name} in another style`)]),
        ...compareSchemas(
          [inputs[0].schema, inputs[1].schema],
          { documents: both(pair, ({ document }) => document), direction: "request", owner: it },
          inputs[1].field,
        ),
      ]),
  });
}

function gainedInput(isNeeded: boolean, name: string): Change {
  return (isNeeded ? breaking : additive)(`${it} ${isNeeded ? "requires" : "takes"} ${those}`, name);
}

/** What turns round with an idempotency key: the client repeats what may have been accepted. */
function gainedKey(header: string): Change {
  const key = label(header);
  return {
    ...additive(
      `${it} is sent again with the same ${key} after a failure that leaves open whether it was accepted`,
    ),
    todo: `${beforeMerge}see that the service reads ${key} of ${it}: where it does not, a create that is sent again is paid twice`,
  };
}

const notRetried = `no longer takes ${those}, so it is not sent again after a failure that leaves open whether it was accepted`;

/** The parameters and the body of an operation, by their names in words. */
function inputsOf({ operation, parameters, known, ...place }: Operation) {
  const isRead = ["get", "head"].includes(place.method);
  const given = parameters.filter((one) => !isOwnHeader(one));
  const inputs = given.map((one) => ({
    name: `the ${one.in} parameter ${label(one.name)}`,
    field: String(one.name),
    isKey: isIdempotencyKey(one) && !isRead,
    isNeeded: one.required === true && !isIdempotencyKey(one),
    style: styleOf(one),
    schema: one.schema ?? jsonSchema(one) ?? {},
    stated: one,
    /** What the operation's method does not take. */
    call: one.in === "query" && !known?.takesQuery ? callOf({ ...place, known: undefined }) : undefined,
  }));
  const schema = bodySchema(operation);
  const isNeeded = Object(operation.requestBody).required === true;
  const body = {
    name: "a body",
    field: "",
    isKey: false,
    isNeeded,
    style: "json",
    schema,
    stated: {},
    call: undefined,
  };
  return new Map([...inputs, ...(schema === undefined ? [] : [body])].map((input) => [input.name, input]));
}

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
  const subject = { documents: both(pair, ({ document }) => document), direction: "answer", owner } as const;
  const statusField = pair[1].known?.name === "getJob" ? "status" : undefined;
  return [...empty, ...compareSchemas([was, is], { ...subject, statusField })];
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
