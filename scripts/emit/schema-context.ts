/**
 * `request`: every constraint holds. `answer`: only types and required fields do, so that values which the
 * service adds later still pass.
 */
export type Mode = "request" | "answer";

export interface SchemaContext {
  mode: Mode;
  /** Code for a schema inside the one at hand. */
  emit(schema: unknown): string;
  /** Code for the schema that a reference points at. */
  reference(reference: string): string;
}
