import { type ClientOptions, type Device, ScreenshotSets } from "screenshot-sets";
import {
  type BatchOptions,
  memoryStore,
  runBatch,
  type SetOutcome,
  type StoredSet,
} from "screenshot-sets/batch";
import { createMock, type Mock, type MockOptions } from "screenshot-sets/mock";
import { collect } from "./collect.js";

/** A mock with an app, and sets `a`, `b`, … for it, by turns for one of two devices. */
export async function batchScene(
  count: number,
  options: MockOptions = {},
  clientOptions: ClientOptions = {},
) {
  const mock = createMock({ allowance: 1000, ...options });
  const client = new ScreenshotSets({ ...mock.clientOptions, ...clientOptions });
  const setUp = new ScreenshotSets(mock.clientOptions);
  const { appId } = await setUp.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
  const device = (index: number): Device => (index % 2 === 0 ? "iphone-69" : "iphone-67");
  const keys = [..."abcdefghij"].slice(0, count);
  const sets = Object.fromEntries(keys.map((key, index) => [key, { appId, device: device(index) }]));
  return { mock, client, sets, store: memoryStore() };
}

/** The steps of the sets that a store has, by their keys. */
export async function stepsIn({ list }: Pick<ReturnType<typeof memoryStore>, "list">) {
  const steps: Record<string, string | undefined> = {};
  for await (const [key, value] of await list()) steps[key] = (value as StoredSet).state?.step;
  return steps;
}

/** How many creates of sets were sent. */
export const creates = (mock: Mock) => mock.requests({ operation: "createScreenshots" }).length;

/** The outcomes of a batch by key, in short. */
export async function run(client: ScreenshotSets, options: BatchOptions): Promise<Record<string, unknown>> {
  return short(await collect(runBatch(client, options)));
}

export function short(outcomes: SetOutcome[]): Record<string, unknown> {
  const told = outcomes.map(({ key, status, charged, reason }) => {
    const more = [charged, reason].filter(Boolean).join(", ");
    return [key, more ? `${status}: ${more}` : status];
  });
  return Object.fromEntries(told.sort());
}

/** What a batch yields, and what it rejects with in the end, if so. */
export async function untilOver(batch: AsyncIterable<SetOutcome>) {
  const outcomes: SetOutcome[] = [];
  try {
    for await (const outcome of batch) outcomes.push(outcome);
    return { outcomes, error: undefined };
  } catch (error) {
    return { outcomes, error: error as Error };
  }
}
