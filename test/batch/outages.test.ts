import { expect, test } from "vitest";
import { batchScene, creates, run } from "../helpers/batch-scene.js";

const operation = "createScreenshots";
const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED", syscall: "connect" });

/**
 * What the service answers to the creates of a run, one after the other, and how the sets end: `u`ncertain, `f`ailed,
 * `s`ucceeded; not ordered as the service is unclear, `-`, or as the account has no credits, `$`.
 */
test.each<[what: string, answers: string[], ends: string]>([
  ["two answers of a proxy are an outage", ["503", "503"], "uu----"],
  ["two connections that break are an outage", ["reset", "reset"], "uu----"],
  ["an acceptance between two unclear ends is a clear answer", ["reset", "201", "reset"], "ususss"],
  ["a refusal between them is a clear answer", ["reset", "422", "reset"], "ufusss"],
  [
    "a 429 between them, after which the set is sent again, is no clear answer",
    ["reset", "429", "reset"],
    "uu----",
  ],
  [
    "five minutes of 429 between them are no clear answer",
    ["reset", ...Array(7).fill("429"), "reset"],
    "ufu---",
  ],
  [
    "a connection that is not made three times is no clear answer",
    ["reset", "none", "none", "none", "reset"],
    "ufu---",
  ],
  ["after a 402 nothing is sent, and what was accepted is waited for", ["201", "201", "402"], "ss$$$$"],
])("%s: %j; a later run goes on with all but what is uncertain", async (_, answers, ends) => {
  const { mock, client, sets, store } = await batchScene(6);
  const rest = [...answers];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const answer = init?.method === "POST" ? rest.shift() : undefined;
    if (answer === "none") throw new TypeError("fetch failed", { cause });
    if (answer === "429") return Response.json({}, { status: 429, headers: { "retry-after": "50" } });
    if (answer === "reset") mock.fault("reset", { operation });
    else if (answer && answer !== "201") mock.fault({ status: Number(answer) }, { operation });
    return mock.fetch(url, init);
  };
  const options = { sets, store, concurrency: 1 };
  expect(lettersOf(await run(client.withOptions({ fetch }), options))).toBe(ends);
  expect(rest).toEqual([]);
  expect(lettersOf(await run(client, options))).toBe(ends.replace(/[^u]/g, "s"));
});

function lettersOf(ends: Record<string, unknown>): string {
  const letters = { "skipped: unclear": "-", "skipped: credits": "$" } as Record<string, string>;
  return Object.values(ends)
    .map((end) => letters[end as string] ?? String(end)[0])
    .join("");
}

test("no more sets become uncertain than were in flight and two", async () => {
  const { mock, client, sets, store } = await batchScene(10);
  mock.fault({ status: 503, latencyMs: 1_000 }, { operation, times: Number.POSITIVE_INFINITY });
  expect(lettersOf(await run(client, { sets, store, concurrency: 4 }))).toBe("uuuu------");
  expect(creates(mock)).toBe(4);
});

test("a look that is answered between two unclear ends is no clear answer to a create", async () => {
  const lifecycle = { queued: 60_000, running: 0, unit: "ms" } as const;
  const { mock, client, sets, store } = await batchScene(6, { lifecycle });
  mock.fault({ status: 503, latencyMs: 10_000 }, { operation, skip: 1, times: Number.POSITIVE_INFINITY });
  expect(lettersOf(await run(client, { sets, store, concurrency: 2 }))).toBe("suu---");
});
