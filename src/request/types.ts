import type { RequestOptions } from "../options/options.js";
import type { BodyOf, paths, Undefinable } from "../types.js";

type Method = "get" | "put" | "post" | "delete" | "options" | "head" | "patch" | "trace";

/** The methods that the document has for a path, in upper case. */
export type MethodOf<Path extends keyof paths> = {
  [M in Method]: M extends keyof paths[Path] ? (paths[Path][M] extends object ? Uppercase<M> : never) : never;
}[Method];

/** An operation by its path and its method in upper case. */
export type OperationAt<Path extends keyof paths, M extends string> = paths[Path][Lowercase<M> &
  keyof paths[Path]];

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
export type RequestInitOf<Operation> =
  Record<never, never> extends Init<Operation>
    ? [init?: Init<Operation>, options?: RequestOptions]
    : [init: Init<Operation>, options?: RequestOptions];
