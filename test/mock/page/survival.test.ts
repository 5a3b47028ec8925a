import type { Mock } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { servedPage } from "./served-page.js";

// An error that nobody catches ends a process, and fails the run of these tests.

test("takes keys, names and headers of any length, and masks the keys", async () => {
  const apiKey = `"${"k\\%".repeat(30_000)}`;
  const { ask, send, call, mock } = await servedPage();
  const sent = "!".repeat(12_000);

  expect((await ask("POST", "accounts", { body: { apiKey } })).status).toBe(201);
  expect((await ask("GET", `${"n".repeat(8_000)}?${"q".repeat(2_000)}=1`)).status).toBe(404);
  expect((await ask("POST", "reset", { body: { ["f".repeat(100_000)]: 1 } })).status).toBe(400);
  expect((await send("GET", "/_mock/state", { host: "h".repeat(12_000) })).status).toBe(403);
  const headers = { "x-api-key": sent };
  const bodies = { known: apiKey, sent, inUrl: encodeURIComponent(apiKey) };
  expect((await call("/public/v1/apps", bodies, { headers })).status).toBe(401);

  const masked = { known: "***", sent: "***", inUrl: "***" };
  expect(mock.requests()).toMatchObject([{ key: "***", body: masked }]);
  expect((await ask("GET", "requests/1")).body.body).toEqual(masked);
});

test("masks keys of which every part may be read in several ways, without delay", async () => {
  const { ask, call } = await servedPage();
  await ask("POST", "accounts", { body: { apiKey: `${'\\"'.repeat(40)}x` } });

  await call("/public/v1/apps", {}, { body: `${'\\\\"'.repeat(40)}y` });

  expect((await ask("GET", "requests/1")).body.body).toHaveLength(121);
});

test("ends a stream whose state can't be written, and goes on", async () => {
  const { mock, send, ask, pageUrl } = await servedPage();
  const stream = await fetch(`${pageUrl}_mock/events`);
  const ended = stream.text().catch(() => "ended");
  // Deep enough for the fault to be taken, and too deep for the state around it.
  await new Promise<void>((resolve) => setTimeout(() => resolve(armDeepest(mock))));

  expect(await ended).toBe("ended");
  await expect(send("GET", "/_mock/events")).rejects.toThrow();
  expect((await ask("GET", "state")).status).toBeGreaterThanOrEqual(400);
  expect((await ask("DELETE", "faults")).status).toBe(204);
  expect((await ask("GET", "state")).status).toBe(200);
});

test("closes the connection where an error of the test's own has no text, and goes on", async () => {
  const undocumented = {
    errorBody() {
      throw Object.create(null);
    },
  };
  const { call, createApp } = await servedPage({ undocumented });

  await expect(call("/public/v1/jobs/job_9")).rejects.toThrow("fetch failed");

  expect(await createApp()).toBe("app_1");
});

/** Arms the fault whose body is nested as deeply as the mock takes it. */
function armDeepest(mock: Mock): void {
  let [taken, refused] = [1, 100_000];
  const arm = (depth: number) =>
    mock.fault({ status: 500, body: JSON.parse("[".repeat(depth) + "]".repeat(depth)) });
  while (refused - taken > 1) {
    const depth = Math.floor((taken + refused) / 2);
    try {
      arm(depth);
      taken = depth;
    } catch {
      refused = depth;
    }
  }
}
