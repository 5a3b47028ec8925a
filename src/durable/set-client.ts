import type { ScreenshotSets } from "../client.js";
import { wrongOption } from "../errors/wrong-option.js";
import { type SetAccess, setAccess } from "../set-access.js";
import { systemClock } from "../time/clock.js";
import { unlearnedDelayMs } from "../wait/poll-delay.js";

/** The part of a client that a step uses. */
export type SetClient = Pick<ScreenshotSets, "screenshots" | "jobs"> & { readonly [setAccess]?: SetAccess };

/** No retries. */
const once = { maxRetries: 0 };

/** The access to what has none of its own, such as a stand-in in a test. */
const plainAccess = ({ screenshots, jobs }: SetClient): SetAccess => ({
  baseUrl: undefined,
  timeoutMs: 60_000,
  clock: systemClock,
  log: { warn() {}, error() {} },
  now: () => Date.now(),
  // It may do anything with a signal.
  createSet: (params, { record }) => record().then(() => screenshots.create(params, once)),
  getJob: async (jobId, signal) => ({ job: await jobs.get(jobId, { ...once, signal }) }),
  delayMs: unlearnedDelayMs,
  learn: () => {},
});

/** What the steps of a set need of a client. */
export const accessOf = (client: SetClient): SetAccess => client[setAccess] ?? plainAccess(client);

/** @throws {ConfigurationError} for a value that cannot create sets, before a create is recorded */
export function checkClient(client: unknown): void {
  const { screenshots } = Object(client) as Partial<ScreenshotSets>;
  if (typeof screenshots?.create !== "function") throw wrongOption("`client`", "a `ScreenshotSets`", client);
}
