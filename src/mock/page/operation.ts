import type * as z from "zod/mini";
import type { answers } from "./schemas.js";
import type { ServedMock } from "./state.js";

/** What a request of the control API asks for, checked. */
export interface Asked<Query, Body> {
  mock: ServedMock;
  /** The parts of the path that stand in braces. */
  id: string;
  keyId: string;
  query: Query;
  body: Body;
}

type AnswerName = keyof typeof answers;

/** An operation of the control API. */
export interface Operation<Query = unknown, Body = unknown, Answer = unknown> {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Below `/_mock`. */
  path: string;
  /** What it does, for the OpenAPI document. */
  summary: string;
  query?: z.ZodMiniType<Query>;
  body?: z.ZodMiniType<Body>;
  status: number;
  /** The name of the answer's schema; without one, there is no answer. */
  answer?: AnswerName;
  run(asked: Asked<Query, Body>): Answer | Promise<Answer>;
}

/** An operation that answers: what it is given and what it gives are held against its schemas by the compiler. */
export function operation<Query, Body, Name extends AnswerName>(
  one: Operation<Query, Body, z.infer<(typeof answers)[Name]>> & { answer: Name },
): Operation {
  return one as Operation;
}

/** An operation that is only done. */
export function command<Body>(
  one: Omit<Operation<unknown, Body, void>, "status" | "answer" | "query">,
): Operation {
  return { ...one, status: 204 } as Operation;
}
