import { getJob } from "../../src/generated/operations.js";
import { parse } from "../../src/schema/parse.js";

/** Whether the document allows a job to fail with this error. A document that describes errors excludes some. */
export function mayFailWith(error: object | null): boolean {
  return parse(getJob.answer, { id: "job-1", status: "failed", result: null, error }).ok;
}
