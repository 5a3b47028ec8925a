import { answers } from "../../generated/samples.js";
import { isRecord, parse, type Schema } from "../../schema/parse.js";

/** An answer of an operation, with what the OpenAPI document requires of it besides. */
export function completedAnswer({ name, answer }: { name: string; answer: Schema }, value: unknown): unknown {
  return completedValue(value, answers[name] ?? [], (completed) => parse(answer, completed).ok);
}

/**
 * A value with the fields that its document requires and that it lacks. A document may come to require more of an answer
 * than the mock knows of, and what is made from that document would refuse the mock's answers.
 *
 * @param samples values that have these fields, one for each alternative; which one was meant shows once the value is complete
 */
export function completedValue(
  value: unknown,
  samples: readonly unknown[],
  isValid: (value: unknown) => boolean,
): unknown {
  if (samples.length === 1) return completedBy(samples[0], value);
  for (const sample of samples) {
    const completed = completedBy(sample, value);
    if (isValid(completed)) return completed;
  }
  return value;
}

/** Most values lack nothing: those are not copied. Lists and what they hold stay as they are. */
function completedBy(sample: unknown, value: unknown): unknown {
  if (!isRecord(sample) || !isRecord(value)) return value;
  let completed = value;
  for (const name of Object.keys(sample)) {
    const part = value[name] === undefined ? copyOf(sample[name]) : completedBy(sample[name], value[name]);
    if (part === value[name]) continue;
    if (completed === value) completed = { ...value };
    completed[name] = part;
  }
  return completed;
}

/** A copy of plain data, so that whoever is given a sample may change it. */
export function copyOf(data: unknown): unknown {
  return JSON.parse(JSON.stringify(data));
}
