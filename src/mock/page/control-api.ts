import { issueText, parse } from "../../schema/parse.js";
import { pathReader } from "../service/routes.js";
import { changes } from "./changes.js";
import { notFound } from "./controlled-mock.js";
import { type Arrival, isBrowser, requireToken } from "./guard.js";
import type { Operation } from "./operation.js";
import { reads } from "./reads.js";
import { Refusal } from "./refusal.js";
import { bodies, queries } from "./schemas.js";
import type { ServedMock } from "./state.js";

/** A request to the control API; its `text` is undefined if the body is too large to be read. */
export interface ControlRequest extends Arrival {
  query: URLSearchParams;
  text: string | undefined;
}

/** All operations except the stream and the document. */
export const operations: readonly Operation[] = [...reads, ...changes];

const routes = operations.map((operation) => ({ operation, parametersIn: pathReader(operation.path) }));

/**
 * Runs an operation and returns the status of the answer, and its body before it is serialised as JSON.
 *
 * @param path below `/_mock`
 * @throws or rejects with a Refusal
 */
export async function control(request: ControlRequest, path: string, mock: ServedMock) {
  const { operation, parameters } = findOperation(request.method, path);
  const isRead = operation.method === "GET";
  if (!isRead) requireToken(request, mock.token);
  const query = checked("query", operation.query ?? queries.none, Object.fromEntries(request.query));
  const body = isRead ? undefined : readBody(operation, request);
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

/** The refusal of a method. HEAD is allowed wherever GET is. */
export function methodRefusal(allowed: string[]): Refusal {
  const allow = (allowed.includes("GET") ? [...allowed, "HEAD"] : allowed).join(", ");
  return new Refusal(405, "method_not_allowed", `Allowed here: ${allow}.`, { allow });
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
