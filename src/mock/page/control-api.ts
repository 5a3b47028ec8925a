import * as z from "zod/mini";
// biome-ignore lint/correctness/useImportExtensions: it is JSON
import { version } from "../../../package.json";
import { isRead } from "../../is-read.js";
import { issueText, parse } from "../../schema/parse.js";
import { pathReader } from "../service/routes.js";
import type { ServedMock } from "./controlled-mock.js";
import { operations } from "./operations.js";
import { type Arrival, isBrowser, methodRefusal, notFound, Refusal, requireToken } from "./refusals.js";
import { answers, bodies, type Operation, queries } from "./schemas.js";

/** A request to the control API; its `text` is undefined if the body is too large to be read. */
export interface ControlRequest extends Arrival {
  query: URLSearchParams;
  text: string | undefined;
}

const routes = operations.map((operation) => ({ operation, parametersIn: pathReader(operation.path) }));

/**
 * Runs an operation and returns the status of the answer, and its body before it is serialised as JSON.
 *
 * @param path below `/_mock`
 * @throws or rejects with a Refusal
 */
export async function control(request: ControlRequest, path: string, mock: ServedMock) {
  const { operation, parameters } = findOperation(request.method, path);
  const isChange = !isRead(operation.method);
  if (isChange) requireToken(request, mock.token);
  const query = checked("query", operation.query ?? queries.none, Object.fromEntries(request.query));
  const body = isChange ? readBody(operation, request) : undefined;
  try {
    return { status: operation.status, body: await operation.run({ mock, ...parameters, query, body }) };
  } catch (error) {
    // All other errors come from the mock's own checks.
    throw error instanceof Refusal ? error : new Refusal(400, "invalid_request", (error as Error).message);
  }
}

function findOperation(method: string, path: string) {
  const allowed = [];
  for (const { operation, parametersIn } of routes) {
    const parameters = parametersIn(path);
    if (!parameters) continue;
    if (operation.method === method || (method === "HEAD" && operation.method === "GET")) {
      return { operation, parameters: { id: "", keyId: "", ...parameters } };
    }
    allowed.push(operation.method);
  }
  if (allowed.length === 0) throw notFound("address");
  throw methodRefusal(allowed);
}

function readBody({ method, body = bodies.none }: Operation, { headers, text }: ControlRequest): unknown {
  const isJson = /^application\/json\s*(;|$)/i.test(headers["content-type"] ?? "");
  // Browsers send other types, and an empty body, to any server without asking it first.
  if (method === "POST" && !isJson && (text !== "" || isBrowser(headers))) {
    throw new Refusal(415, "not_json", "Please send JSON, with `content-type: application/json`.");
  }
  if (text === undefined) throw new Refusal(413, "too_large", "The request is larger than the mock reads.");
  return checked("body", body, parsed(text.trim() || "{}"));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, "invalid_request", "The body is no JSON.");
  }
}

function checked(part: string, schema: NonNullable<Operation["body"]>, value: unknown): unknown {
  const result = parse(() => schema, value);
  if (result.ok) return result.value;
  const issues = result.issues.map(issueText);
  throw new Refusal(400, "invalid_request", `The ${part} is invalid. ${issues.join("; ")}`);
}

/** The prefix of every path of the control API. */
export const controlPath = "/_mock";

const json = (schema: unknown) => ({ content: { "application/json": { schema } } });
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const refusal = { description: "Refused.", ...json(reference("Refusal")) };

/** The OpenAPI document of the control API, built from the schemas of the operations. */
export function controlDocument(): object {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const path = `${controlPath}${operation.path}`;
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: described(operation) };
  }
  const stream = { description: "Events `state`, each a `State`.", content: { "text/event-stream": {} } };
  const summary = "The state at once, and whenever it has changed; at most five times a second.";
  paths[`${controlPath}/events`] = { get: { summary, responses: { 200: stream, default: refusal } } };
  return {
    openapi: "3.1.0",
    info: { title: "The control API of the mock of screenshot-sets", version },
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(answers).map(([name, schema]) => [name, plain(schema)])),
    },
  };
}

function described({ path, summary, query, body, status, answer }: Operation): object {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const inPath = names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
  const { properties = {} } = query ? (plain(query) as { properties?: Record<string, unknown> }) : {};
  const inQuery = Object.entries(properties).map(([name, schema]) => ({ name, in: "query", schema }));
  const success = { description: "Done.", ...(answer && json(reference(answer))) };
  return {
    summary,
    parameters: [...inPath, ...inQuery],
    ...(body && { requestBody: json(plain(body)) }),
    responses: { [status]: success, default: refusal },
  };
}

function plain(schema: z.core.$ZodType): object {
  const { $schema, ...described } = z.toJSONSchema(schema, { unrepresentable: "any" });
  return described;
}
