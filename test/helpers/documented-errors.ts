import { getJob } from "../../src/generated/operations.js";
import { parse } from "../../src/schema/parse.js";

/** Whether a job may fail with this error by the document: one that describes errors rules some out. */
export function mayFailWith(error: object | null): boolean {
  return parse(getJob.answer, { id: "job-1", status: "failed", result: null, error }).ok;
}
