import type { RequestOptions } from "../options/options.js";
import type { AnswerOf, BodyOf, paths, Undefinable } from "../types.js";

/** A method of HTTP, in upper case. */
export type HttpMethod = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";

/** The methods that the document has for a path, in upper case. */
export type MethodOf<Path extends keyof paths> = {
  [M in HttpMethod]: Lowercase<M> extends keyof paths[Path]
    ? paths[Path][Lowercase<M>] extends object
      ? M
      : never
    : never;
}[HttpMethod];

/** A path for which the document does not have that method. */
export type OtherPath<Path extends string, Method extends string> = Path extends keyof paths
  ? Method extends MethodOf<Path>
    ? never
    : Path
  : Path;

type OperationAt<Path extends keyof paths, Method extends string> = paths[Path][Lowercase<Method> &
  keyof paths[Path]];

/** The JSON of a 2xx answer of an operation. */
export type AnswerAt<Path extends keyof paths, Method extends string> = AnswerOf<OperationAt<Path, Method>>;

type ParametersOf<Operation> = Operation extends { parameters: infer Parameters }
  ? Pick<Parameters, keyof Parameters & ("path" | "query")>
  : unknown;

/** A part of the input, which is optional if all its fields are. */
type Part<Name extends string, Value> = [Value] extends [undefined]
  ? unknown
  : Record<never, never> extends Value
    ? { [Key in Name]?: Value }
    : { [Key in Name]: Value };

type Init<Operation> = Part<"params", Undefinable<ParametersOf<Operation>>> &
  Part<"body", Undefinable<BodyOf<Operation>>>;

/** The last arguments of `client.request`: the input, which is optional if all its fields are, and the options. */
export type InitAt<Path extends keyof paths, Method extends string> =
  Record<never, never> extends Init<OperationAt<Path, Method>>
    ? [init?: Init<OperationAt<Path, Method>>, options?: RequestOptions]
    : [init: Init<OperationAt<Path, Method>>, options?: RequestOptions];
