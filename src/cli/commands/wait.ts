import { defineCommand } from "../command.js";
import { jobResult } from "../result.js";
import { environmentNote, readTimeout, runSession, waitOptions } from "../run-session.js";

/** `screenshot-sets wait`. */
export const wait = defineCommand(
  {
    name: "screenshot-sets wait",
    synopsis: "JOB_ID [--timeout SECONDS] [--json] [--out FILE] [--verbose]",
    about: "Waits for a job that was accepted before, and prints its result. Costs nothing.",
    options: waitOptions,
    argument: "JOB_ID",
    more: environmentNote,
    examples: ["wait job_1 --json --out slides.json"],
  },
  async ({ flags, argument: jobId }) => {
    const timeout = readTimeout(flags.timeout);
    return runSession(flags, async (session) => {
      const { client, signal, onUpdate } = session;
      session.waitsFor = jobId;
      session.begin(`Waiting for job ${jobId}`);
      return jobResult(await client.waitForJob(jobId, { signal, onUpdate, ...timeout }));
    });
  },
);
