import { ScreenshotSets } from "screenshot-sets";
import { describe, expect, test } from "vitest";
import { goodBody, outcomeOf, watchedSignal } from "../helpers/outcome-of.js";
import { rejection } from "../helpers/rejection.js";
import { attemptTimeoutMs, RequestClock } from "../helpers/request-clock.js";

const baseUrl = "https://example.com/api/v1";

/** A key function that gives these in turn, the last one for ever; it throws those that are errors. */
function giving(...keys: unknown[]) {
  const give = async () => {
    const key = keys[Math.min(give.asked++, keys.length - 1)];
    if (key instanceof Error) throw key;
    return key as string;
  };
  give.asked = 0;
  return give;
}

/** A `fetch` that answers with these statuses in turn, and then with 200, and the keys that it was shown. */
function answering(...statuses: number[]) {
  const shown: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (_, init) => {
    shown.push(new Headers(init?.headers).get("authorization"));
    return Response.json(goodBody, { status: statuses.shift() ?? 200 });
  };
  return { shown, options: { baseUrl, fetch } };
}

const hanging = () => new Promise<string>(() => {});

describe.each(["GET", "POST"] as const)("of a %s", (method) => {
  /** The keys that a call shows whose answers have these statuses, and its error's status. */
  const rows: [what: string, statuses: number[], keys: string[], shown: string, status?: number][] = [
    ["that was rotated costs no failed call", [401], ["1", "2"], "12"],
    ["is asked for once a call, however often that is sent", [429, 429], ["1", "2"], "111"],
    ["that did not change is not sent again", [401, 401], ["1"], "1", 401],
    ["is rotated once a call", [401, 401], ["1", "2", "3"], "12", 401],
    ["is not rotated after a refusal of another kind", [403], ["1", "2"], "1", 403],
    ["may be rotated between other attempts", [429, 401, 429], ["1", "2"], "1122"],
  ];
  test.each(rows)("a key %s", async (_, statuses, keys, shown, status) => {
    const service = answering(...statuses);
    // Without retries, which a rotated key needs none of.
    const maxRetries = statuses.includes(429) ? 2 : 0;
    const options = { ...service.options, apiKey: giving(...keys), maxRetries };
    const { value, error } = await outcomeOf(method, options);
    expect(service.shown).toEqual([...shown].map((key) => `Bearer ${key}`));
    expect(error?.status).toBe(status);
    if (error) expect(error).toMatchObject({ attempts: shown.length, charged: "no", isRetryable: false });
    else expect(value).toEqual(goodBody);
  });

  test.each([0, 1])("what a key function throws after %d requests is the cause of an error", async (sent) => {
    const cause = new Error("The vault is sealed");
    const { shown, options } = answering(401);
    const apiKey = giving(...Array(sent).fill("1"), cause);
    const { error } = await outcomeOf(method, { ...options, apiKey });
    expect(error).toMatchObject({ name: "ConfigurationError", cause, charged: "no" });
    expect(error.jobId).toBe(method === "GET" ? "job-1" : undefined);
    expect(error.message).toBe("Failed to get the API key: the `apiKey` function threw.");
    expect(shown).toHaveLength(sent);
  });

  test("an abort ends the wait for a key function that hangs, and nothing is sent", async () => {
    const watched = watchedSignal();
    const { shown, options } = answering();
    const apiKey = () => {
      setTimeout(() => watched.controller.abort("enough"));
      return hanging();
    };
    const { error } = await outcomeOf(method, { ...options, apiKey }, new RequestClock(), watched);
    expect([error, shown]).toEqual(["enough", []]);
  });

  test.each([0, 1])("a key function that hangs ends a call in time, after %d requests", async (sent) => {
    const clock = new RequestClock();
    const { shown, options } = answering(401);
    let asked = 0;
    const apiKey = () => {
      if (asked++ < sent) return "1";
      void clock.expire();
      return hanging();
    };
    const { error, elapsedMs } = await outcomeOf(method, { ...options, apiKey }, clock);
    expect(error).toMatchObject({ name: "TimeoutError", charged: "no", attempts: sent });
    expect(error.message).toContain("the `apiKey` function returned no key within");
    expect([elapsedMs, shown.length]).toEqual([attemptTimeoutMs, sent]);
  });
});

test("an answer that repeats its call's key, or later ones, shows none, however many were used meanwhile", async () => {
  let answer = (_: Response) => {};
  let key: string | null = "";
  const fetch: typeof globalThis.fetch = async (_, init) => {
    if (key) return Response.json(goodBody);
    key = new Headers(init?.headers).get("authorization");
    return new Promise<Response>((resolve) => (answer = resolve));
  };
  let asked = 0;
  const client = new ScreenshotSets({ baseUrl, fetch, apiKey: () => `key-of-account-${++asked}` });
  const slow = rejection(client.jobs.get("job-1"));
  await expect.poll(() => key).toBe("Bearer key-of-account-1");
  for (let call = 0; call < 20; call++) await client.jobs.get("job-1");
  const words = `Bad ${key}, unlike key-of-account-20 and key-of-account-21`;
  answer(Response.json({ message: words }, { status: 400 }));
  const { message, body } = await slow;
  const shown = "Bad Bearer ***, unlike *** and ***";
  expect([message, body]).toEqual([`getJob failed with 400: ${shown}.`, { message: shown }]);
});
