import { defineCommand, readTimeout } from "../command.js";
import { jobResult } from "../result.js";
import { runSession } from "../run-session.js";
import { waitHelp, waitOptions } from "../session.js";

const help = `Usage: screenshot-sets wait JOB_ID [--timeout SECONDS] [--json] [--out FILE] [--verbose]

Waits for a job that was accepted before, and prints its result. Costs nothing.

Options:
${waitHelp}

Example:
  screenshot-sets wait job_1 --json --out slides.json
`;

/** `screenshot-sets wait`. */
export const wait = defineCommand(
  { help, options: waitOptions, argument: "JOB_ID" },
  async ({ flags, argument: jobId }) => {
    const timeout = readTimeout(flags.timeout);
    return runSession(flags, async (session) => {
      const { client, progress, signal, onUpdate } = session;
      session.waitsFor = jobId;
      progress.begin(`Waiting for job ${jobId}`);
      return jobResult(await client.waitForJob(jobId, { signal, onUpdate, ...timeout }));
    });
  },
);
