import type * as z from "zod/mini";
import type { answers } from "./schemas.js";
import type { ServedMock } from "./state.js";

/** The checked input of an operation of the control API. */
export interface Asked<Query, Body> {
  mock: ServedMock;
  /** The path parameters; empty if the path has none. */
  id: string;
  keyId: string;
  query: Query;
  body: Body;
}

type AnswerName = keyof typeof answers;

type Method = "GET" | "POST" | "PATCH" | "DELETE";

type Route = `${Method} /${string}`;

/** An operation of the control API. */
export interface Operation<Query = unknown, Body = unknown, Answer = unknown> {
  method: Method;
  /** The path below `/_mock`. */
  path: string;
  /** What the operation does, for the OpenAPI document. */
  summary: string;
  query?: z.ZodMiniType<Query>;
  body?: z.ZodMiniType<Body>;
  status: number;
  /** The name of the answer's schema; without one, the answer has no body. */
  answer?: AnswerName;
  run(asked: Asked<Query, Body>): Answer | Promise<Answer>;
}

type Definition<Query, Body, Answer> = Omit<Operation<Query, Body, Answer>, "method" | "path" | "status">;

/**
 * Defines an operation that answers with a body. The compiler checks its input and its answer against the schemas.
 *
 * @param route the method, and the path below `/_mock`
 */
export function operation<Query, Body, Name extends AnswerName>(
  route: Route,
  one: Definition<Query, Body, z.infer<(typeof answers)[Name]>> & { status?: 201; answer: Name },
): Operation {
  const [method, path] = route.split(" ");
  return { method, path, status: 200, ...one } as Operation;
}

/** Defines an operation whose answer has no body. */
export function command<Body>(
  route: Route,
  one: Omit<Definition<unknown, Body, void>, "answer" | "query">,
): Operation {
  const [method, path] = route.split(" ");
  return { method, path, status: 204, ...one } as Operation;
}
