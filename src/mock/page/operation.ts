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

/** An operation of the control API. */
export interface Operation<Query = unknown, Body = unknown, Answer = unknown> {
  method: "GET" | "POST" | "PATCH" | "DELETE";
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

/** Defines an operation that answers with a body. The compiler checks its input and its answer against the schemas. */
export function operation<Query, Body, Name extends AnswerName>(
  one: Operation<Query, Body, z.infer<(typeof answers)[Name]>> & { answer: Name },
): Operation {
  return one as Operation;
}

/** Defines an operation whose answer has no body. */
export function command<Body>(
  one: Omit<Operation<unknown, Body, void>, "status" | "answer" | "query">,
): Operation {
  return { ...one, status: 204 } as Operation;
}
