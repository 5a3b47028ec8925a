import { getEventListeners } from "node:events";
import { createMock } from "screenshot-sets/mock";
import { expect, onTestFinished, test, vi } from "vitest";
import { rejection } from "../helpers/rejection.js";

const listing = JSON.stringify({ iosUrl: "https://apps.apple.com/app/id1" });

function open() {
  const mock = createMock();
  const { apiKey, baseUrl, fetch } = mock.clientOptions;
  const post = { method: "POST", headers: { "x-api-key": apiKey }, body: listing };
  return { mock, fetch, url: `${baseUrl}/public/v1/apps`, post };
}

test("gives whole answers while a runner fakes queueMicrotask", async () => {
  const { mock, fetch, url, post } = open();
  mock.fault({ status: 503, body: "" });
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["queueMicrotask"] });

  const [none, app] = [await fetch(url, post), await fetch(url, post)];

  expect(await none.text()).toBe("");
  expect(await app.json()).toMatchObject({ appId: expect.any(String) });
});

test("takes a string, a URL and a Request, and an init that changes the request", async () => {
  const { mock, fetch, url, post } = open();
  const { headers } = post;

  const answers = [
    await fetch(url, post),
    await fetch(new URL(url), post),
    await fetch(new Request(url, post)),
    await fetch(new Request(url, { method: "POST", body: listing }), { headers }),
    await fetch(url, { ...post, body: new Blob([listing]) }),
    await fetch(url, { ...post, method: "post", body: new TextEncoder().encode(listing) }),
    await mock.handle(new Request(url, post)),
  ];

  expect(answers.map(({ status }) => status)).toEqual(Array.from(answers, () => 200));
  expect(mock.fetch).toBe(fetch);
  expect(await answers[0]?.json()).toMatchObject({ appId: "app_1" });
  expect(answers[0]?.headers.get("content-type")).toBe("application/json");
});

test("rejects with the reason of an aborted signal, of which the init's comes first, and applies nothing", async () => {
  const { mock, fetch, url, post } = open();
  const { signal } = new AbortController();
  const aborted = { ...post, signal: AbortSignal.abort("enough") };

  for (const pending of [
    fetch(url, aborted),
    fetch(new Request(url, post), aborted),
    fetch(new Request(url, { ...post, signal }), aborted),
    mock.handle(new Request(url, aborted)),
  ]) {
    expect(await rejection(pending)).toBe("enough");
  }
  expect(mock.requests()).toEqual([]);
  expect((await fetch(new Request(url, aborted), { signal })).status).toBe(200);
  expect((await fetch(new Request(url, aborted), { signal: null })).status).toBe(200);
});

test("rejects at once when a signal is aborted while the body is still coming, and applies nothing", async () => {
  const { mock, fetch, url, post } = open();
  const controller = new AbortController();
  const body = new ReadableStream();

  const pending = fetch(url, { ...post, body, duplex: "half", signal: controller.signal } as RequestInit);
  await new Promise(setImmediate);
  controller.abort("enough");

  expect(await rejection(pending)).toBe("enough");
  expect(mock.requests()).toEqual([]);
});

test("leaves no listener on a signal after an answer, late or not", async () => {
  const { mock, fetch, url, post } = open();
  const { signal } = new AbortController();
  mock.fault({ latencyMs: 10 });

  for (let call = 0; call < 2; call++) await fetch(url, { ...post, signal });

  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test.each([
  "/public/v1/apps",
  "https://api.screenshot-sets.test/api/v10/apps",
  "https://api.screenshot-sets.test/api/v1/../../secrets",
])("rejects %s, which is no URL below the base URL, and never uses the network", async (url) => {
  const { mock, fetch, post } = open();
  const network = vi.spyOn(globalThis, "fetch");

  const error = await rejection(fetch(url, post));

  expect(error).toBeInstanceOf(TypeError);
  if (URL.canParse(url)) expect(error.message).toMatch(/^Failed to fetch .* only answers below https:/);
  expect(network).not.toHaveBeenCalled();
  expect(mock.requests()).toEqual([]);
});

/** What keeps the process alive as an open port; a test that runs in a worker finds the worker's own ones too. */
const openPorts = () => process.getActiveResourcesInfo().filter((name) => name === "MessagePort").length;

test("does not keep the process alive once nobody sleeps", async () => {
  const portsBefore = openPorts();
  const { mock, fetch, url, post } = open();
  const controller = new AbortController();
  void mock.clock.sleep(Number.POSITIVE_INFINITY);
  const asleep = mock.clock.sleep(10, controller.signal);
  await fetch(url, post);
  controller.abort("enough");
  expect(await rejection(asleep)).toBe("enough");

  await vi.waitFor(() => expect(openPorts()).toBeLessThanOrEqual(portsBefore), { timeout: 20_000 });
});
