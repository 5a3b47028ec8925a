import { answers } from "../../generated/samples.js";
import { isRecord } from "../../schema/parse.js";
import { plainCopy } from "./plain-copy.js";

/**
 * An answer of an operation, with what the OpenAPI document requires of it besides, and in the types that it has there. A
 * document may come to say more of an answer than the mock knows, and what is made from that document would refuse the
 * mock's answers.
 */
export function completedAnswer(operation: string, value: unknown): unknown {
  return completedValue(answers[operation], value);
}

/** A value with the fields that its sample has besides. Most values lack none: those are not copied. */
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

/** The value, or one of the sample's type where it has another. Null and lists, with what they hold, stay as they are. */
function ofType(sample: unknown, value: unknown): unknown {
  const isAlike = typeof sample === typeof value && Array.isArray(sample) === Array.isArray(value);
  if (isAlike || (sample ?? null) === null || value === null) return value;
  return typeof sample === "string" && typeof value === "number" ? String(value) : plainCopy(sample);
}
