import { readBatchFile } from "../batch-file.js";
import { defineCommand, readInteger, UsageError } from "../command.js";
import { dryRun } from "../dry-run.js";
import { Destination, refuseSameFiles, stateBeside } from "../out-file.js";
import {
  deliver,
  environmentNote,
  loadEnvironment,
  mistakeIn,
  readTimeout,
  runSession,
  waitOptions,
} from "../run-session.js";
import { batchOptions, runSets } from "../run-sets.js";

/** `screenshot-sets batch`. */
export const batch = defineCommand(
  {
    name: "screenshot-sets batch",
    synopsis: "FILE [--state FILE] [--max-credits N] [--again KEY ...] [--dry-run] [options]",
    about:
      "Plans many sets, each charged at most once, and prints a line for each. Run it again to go on where it ended.",
    options: {
      ...batchOptions,
      state: { ...batchOptions.state, help: "where to keep what was paid for (default FILE.state.json)" },
      concurrency: { value: "N", help: "how many sets are worked on at once (default 4)" },
      again: {
        value: "KEY",
        several: true,
        help: "order a set once more that is uncertain, or failed and was charged; it may be paid for twice; may be repeated",
      },
      "dry-run": { help: "show what would be sent and what it would cost, and send nothing" },
      ...waitOptions,
      json: { help: "print each line as JSON" },
    },
    argument: "FILE",
    more: `FILE is JSON. Apps are created once; a set names its app, or has an appId of its own:
  { "apps": { "us": { "iosUrl": "https://apps.apple.com/..." } },
    "sets": { "us/iphone": { "app": "us", "device": "iphone-69" } } }

${environmentNote}`,
    examples: ["batch sets.json --max-credits 250", "batch sets.json --dry-run"],
  },
  async ({ flags, argument: file }) => {
    const state = flags.state ?? (await stateBeside(file));
    const maxCredits = readInteger("--max-credits", flags["max-credits"], 0);
    const concurrency = readInteger("--concurrency", flags.concurrency, 1);
    const timeout = readTimeout(flags.timeout);
    await refuseSameFiles({ file, state, out: flags.out });
    const wanted = await readBatchFile(file);
    const { again = [] } = flags;
    for (const key of again) {
      if (!wanted.sets.has(key)) throw new UsageError(`Expected --again to be a key of a set, got ${key}.`);
    }
    if (!flags["dry-run"]) {
      const own = { ...flags, ...timeout, again, state, maxCredits, concurrency };
      return runSession(flags, (session) => runSets(session, wanted, own));
    }
    await loadEnvironment(flags["env-file"]);
    const out = await Destination.of(flags.out);
    const text = await dryRun(wanted, { ...flags, state, maxCredits }).catch((error: unknown) => {
      throw mistakeIn(error) ?? error;
    });
    await deliver(text, out, new AbortController().signal, false);
    return 0;
  },
);
