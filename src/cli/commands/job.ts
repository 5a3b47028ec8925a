import { defineCommand } from "../command.js";
import { jobResult } from "../result.js";
import { runSession } from "../run-session.js";
import { sessionHelp, sessionOptions } from "../session.js";
import { jobNames } from "../waiting.js";

const synopsis = `Usage: screenshot-sets job JOB_ID [--json] [--out FILE] [--verbose]
Run screenshot-sets job --help for more.`;

const help = `Usage: screenshot-sets job JOB_ID [options]

Looks at a job once, and shows it as it is. Exits with 0 whatever its state. Costs nothing.

Options:
${sessionHelp}

The key and the address come from SCREENSHOT_SETS_API_KEY and SCREENSHOT_SETS_BASE_URL.

Example:
  screenshot-sets job job_1
`;

/** `screenshot-sets job`. */
export const job = defineCommand(
  { synopsis, help, options: sessionOptions, argument: "JOB_ID" },
  ({ flags, argument: jobId }) =>
    runSession({ flags, names: jobNames }, async ({ client, signal }) =>
      jobResult(await client.jobs.get(jobId, { signal })),
    ),
);
