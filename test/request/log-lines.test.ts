import { type Logger, ScreenshotSets } from "screenshot-sets";
import { describe, expect, test } from "vitest";
import { apiKey, calls, goodBody, outcomeOf, watchedSignal } from "../helpers/outcome-of.js";
import { attemptTimeoutMs, RequestClock } from "../helpers/request-clock.js";

const baseUrl = "https://example.com/api/v1";

type Line = [level: string, message: string, fields: Record<string, unknown> | undefined];

/** A logger, and what it was told. */
function recorded() {
  const lines: Line[] = [];
  const write = (level: string) => (message: string, fields?: Record<string, unknown>) =>
    void lines.push([level, message, fields]);
  const logger: Logger = {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
  };
  return { lines, logger };
}

/** A `fetch` that takes 40 ms for each answer, the last one given for ever. */
function answering(clock: TickingClock, ...statuses: (number | Error)[]): typeof fetch {
  let sent = 0;
  return async (url) => {
    const status = statuses[Math.min(sent++, statuses.length - 1)];
    clock.pass(40);
    if (status instanceof Error) throw status;
    const id = String(url).split("/jobs/")[1] ?? goodBody.id;
    return Response.json(
      { ...goodBody, id },
      { status: status as number, headers: { "retry-after-ms": "100" } },
    );
  };
}

/** Time that passes when it is told to, and in delays. */
class TickingClock extends RequestClock {
  #passed = 0;
  override now(): number {
    return super.now() + this.#passed;
  }
  pass(ms: number): void {
    this.#passed += ms;
  }
}

const operations = {
  GET: { operation: "getJob", method: "GET", path: "/public/v1/jobs/job-1" },
  POST: { operation: "createScreenshots", method: "POST", path: "/public/v1/screenshots" },
};

describe.each(["GET", "POST"] as const)("of a %s", (method) => {
  const call = operations[method];
  const sent = (attempt: number, status: unknown): Line => [
    "debug",
    "Sent a request",
    { ...call, status, attempt, ms: 40 },
  ];
  const again = (attempt: number, status: unknown, delayMs: number): Line => [
    "warn",
    "Sending a request again",
    { ...call, status, attempt, delayMs },
  ];
  const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });

  test.each([
    ["a success", [200], [sent(1, 200)]],
    ["a refusal", [404], [sent(1, 404)]],
    [
      "retries",
      [429, 429, 200],
      [sent(1, 429), again(1, 429, 100), sent(2, 429), again(2, 429, 100), sent(3, 200)],
    ],
    [
      "retries in vain",
      [429],
      [sent(1, 429), again(1, 429, 100), sent(2, 429), again(2, 429, 100), sent(3, 429)],
    ],
    [
      "a connection that fails",
      [new Error("broken"), 200],
      method === "POST" ? [sent(1, "broken")] : undefined,
    ],
  ] as [string, (number | Error)[], Line[] | undefined][])(
    "there is one line an attempt, and one a retry: %s",
    async (_, statuses, expected) => {
      const clock = new TickingClock();
      const { lines, logger } = recorded();
      await outcomeOf(method, { baseUrl, fetch: answering(clock, ...statuses), logger }, clock);
      if (expected) expect(lines).toEqual(expected);
      else expect(lines.map(([level]) => level)).toEqual(["debug", "warn", "debug"]);
    },
  );

  test("a connection that could not be made is named, with the delay in whole milliseconds", async () => {
    const clock = new TickingClock();
    const { lines, logger } = recorded();
    await outcomeOf(method, { baseUrl, fetch: answering(clock, refused, 200), logger }, clock);
    const delayMs = Math.round(clock.delays[0] ?? 0);
    expect(lines).toEqual([sent(1, "broken"), again(1, "broken", delayMs), sent(2, 200)]);
  });

  test("a key that was rotated is a retry without delay", async () => {
    const clock = new TickingClock();
    const { lines, logger } = recorded();
    const keys = ["sk_live_first_key", "sk_live_second_key"];
    const options = { baseUrl, fetch: answering(clock, 401, 200), logger };
    await outcomeOf(method, { ...options, apiKey: () => keys.shift() ?? "" }, clock);
    expect(lines).toEqual([sent(1, 401), again(1, 401, 0), sent(2, 200)]);
  });

  test("an attempt that timed out, or that was aborted, is named so", async () => {
    for (const status of ["timed out", "aborted"]) {
      const clock = new TickingClock();
      const watched = watchedSignal();
      const { lines, logger } = recorded();
      const fetch = () => {
        if (status === "aborted") setTimeout(() => watched.controller.abort());
        else void clock.expire();
        return new Promise<Response>(() => {});
      };
      await outcomeOf(method, { baseUrl, fetch, logger, maxRetries: 0 }, clock, watched);
      const [first, ...more] = lines;
      expect(first).toMatchObject(["debug", "Sent a request", { ...call, status, attempt: 1 }]);
      // Only a create may have cost something, and its error, the caller's own reason, cannot say so.
      expect(more).toStrictEqual(
        status === "aborted" && method === "POST"
          ? [["warn", "A create was aborted in flight: the service may have charged it", first?.[2]]]
          : [],
      );
    }
  });

  test("no line holds the key, or anything of a body", async () => {
    const clock = new TickingClock();
    const { lines, logger } = recorded();
    const fetch = async () =>
      Response.json({ ...goodBody, secret: "in the answer" }, { status: 429, headers: { "x-key": apiKey } });
    await outcomeOf(method, { baseUrl, fetch, logger }, clock);
    expect(lines).toHaveLength(5);
    expect(JSON.stringify(lines)).not.toMatch(/in the answer|sk_live|app-1|iphone/);
    for (const [, , fields] of lines) {
      expect(Object.keys(fields ?? {}).sort()).toEqual(
        [
          "attempt",
          "method",
          "operation",
          "path",
          "status",
          fields && "ms" in fields ? "ms" : "delayMs",
        ].sort(),
      );
    }
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("disk full");
      },
    ],
    [
      "rejects",
      async () => {
        throw new Error("disk full");
      },
    ],
    ["never settles", () => new Promise(() => {})],
    [
      "changes what it is given",
      (_: string, fields: object) => {
        for (const name of Object.keys(fields)) Reflect.deleteProperty(fields, name);
      },
    ],
  ] as [string, () => void][])("a logger that %s disturbs nothing", async (_, write) => {
    const clock = new TickingClock();
    const logger = { debug: write, info: write, warn: write, error: write };
    const options = { baseUrl, logger, fetch: answering(clock, 429, 200) };
    expect((await outcomeOf(method, options, clock)).value).toEqual(goodBody);
  });

  test("a logger is called as a method of itself", async () => {
    class Counting {
      lines = 0;
      debug() {
        this.lines++;
      }
      info() {}
      warn() {}
      error() {}
    }
    const logger = new Counting();
    const fetch = answering(new TickingClock(), 200);
    const client = new ScreenshotSets({ apiKey, baseUrl, logger, fetch });
    await calls[method](client);
    expect(logger.lines).toBe(1);
  });
});

test("a key that stands in the path of a call is in no line", async () => {
  const clock = new TickingClock();
  const { lines, logger } = recorded();
  const fetch = answering(clock, 429, 200);
  const client = new ScreenshotSets({ apiKey, baseUrl, clock, logger, fetch, timeoutMs: attemptTimeoutMs });
  await client.jobs.get(`job-${apiKey}`);
  expect(lines.map(([, , fields]) => fields?.path)).toEqual(Array(3).fill("/public/v1/jobs/job-***"));
});
