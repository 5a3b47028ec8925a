import { defineCommand } from "../command.js";
import { jobResult } from "../result.js";
import { runSession } from "../run-session.js";
import { sessionHelp, sessionOptions } from "../session.js";

const help = `Usage: screenshot-sets job JOB_ID [--json] [--out FILE] [--verbose]

Looks at a job once and shows it as it is. Exits with 0 whatever its status. Costs nothing.

Options:
${sessionHelp}

Example:
  screenshot-sets job job_1
`;

/** `screenshot-sets job`. */
export const job = defineCommand(
  { help, options: sessionOptions, argument: "JOB_ID" },
  ({ flags, argument: jobId }) =>
    runSession(flags, async ({ client, signal }) => jobResult(await client.jobs.get(jobId, { signal }))),
);
