import { answers } from "../../generated/samples.js";
import { isRecord } from "../../schema/parse.js";

/**
 * Adds further fields that the OpenAPI document requires to an answer of an operation, and converts its values to the
 * types in the document. A later document may require more of an answer than the mock knows, and clients generated
 * from it would refuse the mock's answers.
 */
export function completedAnswer(operation: string, value: unknown): unknown {
  return completed(answers[operation], value);
}

/** The value with what it lacks of its sample. */
function completed(sample: unknown, value: unknown): unknown {
  if (value === undefined) return sample;
  if (!isRecord(sample) || !isRecord(value)) return ofType(sample, value);
  const fields = Object.entries(sample).map(([name, part]) => [name, completed(part, value[name])]);
  return { ...value, ...Object.fromEntries(fields) };
}

/** Returns the value, or one of the sample's type if the types differ. Keeps null, and lists with their elements. */
function ofType(sample: unknown, value: unknown): unknown {
  const isAlike = typeof sample === typeof value && Array.isArray(sample) === Array.isArray(value);
  if (isAlike || (sample ?? null) === null || value === null) return value;
  return typeof sample === "string" && typeof value === "number" ? String(value) : sample;
}
