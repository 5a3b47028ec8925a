import { readSeconds } from "../arguments.js";
import { defineCommand } from "../command.js";
import { jobResult } from "../result.js";
import { runSession } from "../run-session.js";
import { sessionHelp, sessionOptions } from "../session.js";
import { jobNames, reportChange, waitHelp, waitOptions } from "../waiting.js";

const synopsis = `Usage: screenshot-sets wait JOB_ID [--timeout SECONDS] [--json] [--out FILE] [--verbose]
Run screenshot-sets wait --help for more.`;

const help = `Usage: screenshot-sets wait JOB_ID [options]

Waits for a job that was accepted before, and gives its result. Costs nothing.

Options:
${waitHelp}
${sessionHelp}

The key and the address come from SCREENSHOT_SETS_API_KEY and SCREENSHOT_SETS_BASE_URL.

Example:
  screenshot-sets wait job_1 --json --out slides.json
`;

/** `screenshot-sets wait`. */
export const wait = defineCommand(
  { synopsis, help, options: { ...waitOptions, ...sessionOptions }, argument: "JOB_ID" },
  async ({ flags, argument: jobId }) => {
    const timeoutMs = readSeconds("--timeout", flags.timeout);
    return runSession({ flags, names: jobNames }, async (session) => {
      const { client, progress, signal } = session;
      const onUpdate = reportChange(progress);
      const deadline = timeoutMs === undefined ? {} : { timeoutMs };
      session.waitsFor = jobId;
      progress.begin(`Waiting for job ${jobId}`);
      return jobResult(await client.waitForJob(jobId, { signal, onUpdate, ...deadline }));
    });
  },
);
