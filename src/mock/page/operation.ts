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

type AnswerOf<Name> = Name extends AnswerName ? z.infer<(typeof answers)[Name]> : unknown;

/**
 * Defines an operation. The compiler checks its input and its answer against the schemas.
 *
 * @param route the method, and the path below `/_mock`
 */
export function operation<Query, Body, Name extends AnswerName | undefined = undefined>(
  route: `${Method} /${string}`,
  one: Omit<Operation<Query, Body, AnswerOf<Name>>, "method" | "path" | "status" | "answer"> & {
    /** @default 200, or 204 without an answer */
    status?: 201;
    answer?: Name;
  },
): Operation {
  const [method, path] = route.split(" ");
  return { method, path, status: one.answer ? 200 : 204, ...one } as Operation;
}
