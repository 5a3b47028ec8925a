import { defineCommand } from "../command.js";
import { jobResult } from "../result.js";
import { environmentNote, runSession, sessionOptions } from "../run-session.js";

/** `screenshot-sets job`. */
export const job = defineCommand(
  {
    name: "screenshot-sets job",
    synopsis: "JOB_ID [--json] [--out FILE] [--verbose]",
    about: "Looks at a job once and shows it as it is. Exits with 0 whatever its status. Costs nothing.",
    options: sessionOptions,
    argument: "JOB_ID",
    more: environmentNote,
    examples: ["job job_1"],
  },
  ({ flags, argument: jobId }) =>
    runSession(flags, async ({ client, signal }) => jobResult(await client.jobs.get(jobId, { signal }))),
);
