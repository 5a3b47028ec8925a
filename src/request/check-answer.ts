import { fieldOf, type Issue, isRecord, parse } from "../schema/parse.js";
import type { Operation } from "./call.js";

/**
 * Compares an answer with the document: `missing` is what the SDK itself needs, `oddities` are all other differences.
 *
 * @param jobId the job that was asked for; its slides may belong to somebody else if the answer is about another one
 */
export function checkAnswer(
  { name, answer, needed }: Operation,
  value: unknown,
  jobId: string | undefined,
): { missing: Issue[]; oddities: Issue[] } {
  if (!answer) return { missing: [], oddities: [] };
  const parsed = parse(answer, value);
  const issues = parsed.ok ? [] : parsed.issues;
  if (!isRecord(value)) return { missing: issues, oddities: [] };
  const missing = needed.flatMap((field) => {
    const schema = fieldOf(answer, field);
    const found = schema && parse(schema, value[field]);
    if (found && !found.ok) return found.issues.map((issue) => ({ ...issue, path: field }));
    if (value[field] === "" && field !== "status")
      return [{ path: field, message: "Expected a string that is not empty" }];
    return [];
  });
  if (jobId !== undefined && missing.length === 0 && String(value.id) !== jobId) {
    missing.push({ path: "id", message: "Expected the id of the job that was asked for" });
  }
  if (name === "getJob" && value.status === "succeeded" && !isRecord(value.result)) {
    missing.push({ path: "result", message: "Expected the result of a job that succeeded" });
  }
  return { missing, oddities: issues };
}
