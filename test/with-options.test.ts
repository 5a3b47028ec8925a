import { inspect } from "node:util";
import { AuthenticationError, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { expect, test, vi } from "vitest";
import { randomFrom } from "../bench/waiting/random.js";
import { collect } from "./helpers/collect.js";
import { rejection } from "./helpers/rejection.js";

const listing = { iosUrl: "https://apps.apple.com/us/app/x/id1" };
const params = { appId: "app_1", device: "iphone-69" } as const;

test("a client made from another has its settings but those given", async () => {
  const mock = createMock();
  const seen: string[] = [];
  const onResponse = ({ status }: { status: number }) => seen.push(`first ${status}`);
  const first = new ScreenshotSets({ ...mock.clientOptions, maxRetries: 0, onResponse });
  const second = first.withOptions({ maxRetries: 1, timeoutMs: undefined });
  mock.fault({ status: 503 }, { operation: "getJob", times: 5 });
  expect(await rejection(first.jobs.get("job_1"))).toMatchObject({ attempts: 1 });
  expect(await rejection(second.jobs.get("job_1"))).toMatchObject({ attempts: 2 });
  const third = second.withOptions({ onResponse() {} });
  expect(await rejection(third.jobs.get("job_1"))).toMatchObject({ attempts: 2 });
  expect(seen).toEqual(["first 503", "first 503", "first 503"]);
});

test("the key and the address that the first took from the environment stay", async () => {
  const { apiKey, baseUrl, ...platform } = createMock().clientOptions;
  vi.stubEnv("SCREENSHOT_SETS_API_KEY", apiKey);
  vi.stubEnv("SCREENSHOT_SETS_BASE_URL", baseUrl);
  const first = new ScreenshotSets(platform);
  vi.stubEnv("SCREENSHOT_SETS_API_KEY", "");
  vi.stubEnv("SCREENSHOT_SETS_BASE_URL", "");
  const second = first.withOptions({ timeoutMs: 1000 });
  expect(await second.apps.create(listing)).toHaveProperty("appId");
  const third = second.withOptions({ apiKey: "another" });
  expect(await rejection(third.apps.create(listing))).toBeInstanceOf(AuthenticationError);
  expect(inspect(second, { depth: 10, showHidden: true })).not.toContain(apiKey);
});

test("clients that differ in how they call share what they learned of jobs, and others of another service do not", async () => {
  vi.spyOn(Math, "random").mockImplementation(randomFrom(1));
  const mock = createMock({ lifecycle: { queued: 0, running: 20_000, unit: "ms" }, allowance: 1000 });
  const first = new ScreenshotSets(mock.clientOptions);
  const second = first.withOptions({ headers: { "x-team": "growth" } });
  /** How many polls it takes to see the end of a set. */
  const pollsOf = async (client: ScreenshotSets) => {
    const before = mock.requests({ operation: "getJob" }).length;
    await client.screenshots.createAndWait(params);
    return mock.requests({ operation: "getJob" }).length - before;
  };
  await first.apps.create(listing);
  const unlearned = await pollsOf(first);
  for (let set = 0; set < 8; set++) await pollsOf(second);
  for (const client of [first, second, first.withOptions({ timeoutMs: 1000 })]) {
    expect(await pollsOf(client)).toBeLessThan(unlearned / 2);
  }
  const { fetch, clientOptions } = mock;
  const baseUrl = "https://other.example/api/v1";
  const fetchElsewhere: typeof fetch = (url, init) =>
    fetch(String(url).replace(baseUrl, clientOptions.baseUrl), init);
  for (const other of [{ baseUrl, fetch: fetchElsewhere }, { clock: { ...mock.clock } }]) {
    expect(await pollsOf(first.withOptions(other))).toBeGreaterThan(unlearned / 2);
  }
  mock.reset();
  await first.apps.create(listing);
  for (const client of [first, second]) expect(await pollsOf(client)).toBeGreaterThan(unlearned / 2);
});

test("a job that one created is waited for by the other through a first 404", async () => {
  const mock = createMock();
  const first = new ScreenshotSets(mock.clientOptions);
  await first.apps.create(listing);
  const { jobId } = await first.screenshots.create(params);
  mock.fault({ status: 404 }, { operation: "getJob" });
  const second = first.withOptions({ timeoutMs: 5000 });
  expect(await second.waitForJob(jobId)).toMatchObject({ status: "succeeded" });
});

test("methods work when they are taken off the client", async () => {
  const client = new ScreenshotSets(createMock().clientOptions);
  const { screenshots: _, apps: __, jobs: ___, ...others } = client;
  expect(others).toEqual({});
  const { waitForJob, watchJob, withOptions, request } = client;
  const { create } = client.apps;
  const { create: createSet, createAndWait } = client.screenshots;
  const { get } = client.jobs;
  await create(listing);
  const { jobId } = await createSet(params);
  expect(await get(jobId)).toMatchObject({ status: "queued" });
  expect((await collect(watchJob(jobId))).at(-1)).toMatchObject({ status: "succeeded" });
  expect(await waitForJob(jobId)).toMatchObject({ id: jobId });
  expect(await createAndWait(params)).toHaveProperty("credits");
  const init = { params: { path: { id: jobId } } };
  expect(await request("GET", "/public/v1/jobs/{id}", init)).toMatchObject({ id: jobId });
  expect(withOptions({})).toBeInstanceOf(ScreenshotSets);
});
