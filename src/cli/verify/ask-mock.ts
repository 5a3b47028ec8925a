import { type CreateAppParams, type CreateScreenshotsParams, ScreenshotSets } from "../../index.js";
import { createMock } from "../../mock/index.js";
import { ask, type Party } from "./ask.js";
import { anyDevice, asks } from "./questions.js";
import { order, type Seen } from "./seen.js";

/** The answers of the mock to the same questions: also those about a job that failed, which a service seldom answers. */
export async function askMock(): Promise<Seen> {
  const mock = createMock();
  const { fetch, clock, apiKey } = mock.clientOptions;
  const client = new ScreenshotSets({ ...mock.clientOptions, logger: false });
  const party: Party = { client, fetch, now: () => clock.now(), apiKey };
  const seen: Seen = { answers: new Map() };
  for (const asked of asks) seen.answers.set(asked, await ask(party, asked));
  const { appId } = await client.apps.create({
    iosUrl: "https://apps.apple.com/app/id1",
  } as object as CreateAppParams);
  const params = { appId, device: anyDevice } as object as CreateScreenshotsParams;
  const failed: Seen = { answers: new Map() };
  mock.nextJob({ outcome: "failed" });
  await order(failed, party, params);
  await order(seen, party, params);
  if (seen.set && failed.set?.failure) seen.set.failure = failed.set.failure;
  return seen;
}
