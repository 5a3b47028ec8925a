import { answers } from "../../generated/samples.js";
import { isRecord } from "../../schema/parse.js";
import { plainCopy } from "./plain-copy.js";

/**
 * Adds further fields that the OpenAPI document requires to an answer of an operation, and converts its values to the
 * types in the document. A later document may require more of an answer than the mock knows, and clients generated
 * from it would refuse the mock's answers.
 */
export function completedAnswer(operation: string, value: unknown): unknown {
  return completedValue(answers[operation], value);
}

/** Adds the fields that a value lacks and its sample has. Most values lack none and are returned without a copy. */
export function completedValue(sample: unknown, value: unknown): unknown {
  if (!isRecord(sample) || !isRecord(value)) return ofType(sample, value);
  let completed = value;
  for (const name of Object.keys(sample)) {
    const part =
      value[name] === undefined ? plainCopy(sample[name]) : completedValue(sample[name], value[name]);
    if (part === value[name]) continue;
    if (completed === value) completed = { ...value };
    completed[name] = part;
  }
  return completed;
}

/** Returns the value, or one of the sample's type if the types differ. Keeps null, and lists with their elements. */
function ofType(sample: unknown, value: unknown): unknown {
  const isAlike = typeof sample === typeof value && Array.isArray(sample) === Array.isArray(value);
  if (isAlike || (sample ?? null) === null || value === null) return value;
  return typeof sample === "string" && typeof value === "number" ? String(value) : plainCopy(sample);
}
