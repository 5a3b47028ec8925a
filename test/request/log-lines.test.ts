import { type Logger, ScreenshotSets } from "screenshot-sets";
import { describe, expect, test, vi } from "vitest";
import { apiKey, goodBody, outcomeOf, watchedSignal } from "../helpers/outcome-of.js";
import { head, rawServer } from "../helpers/raw-server.js";
import { RequestClock } from "../helpers/request-clock.js";

const baseUrl = "https://example.com/api/v1";

type Line = [level: string, message: string, fields: Record<string, unknown> | undefined];

/** A logger, whose methods are called as its own, and what it was told. */
function recorded() {
  const lines: Line[] = [];
  const write = (level: string) =>
    function (this: unknown, ...line: unknown[]) {
      if (this === logger) lines.push([level, ...line] as Line);
    };
  const [debug, info, warn, error] = [write("debug"), write("info"), write("warn"), write("error")];
  const logger: Logger = { debug, info, warn, error };
  return { lines, logger };
}

/** A `fetch` that is given one outcome after the other, the last one for ever. */
function answering(...outcomes: (number | Error)[]): typeof fetch {
  let sent = 0;
  return async (url) => {
    const outcome = outcomes[Math.min(sent++, outcomes.length - 1)];
    if (outcome instanceof Error) throw outcome;
    const body = { ...goodBody, id: String(url).split("/jobs/")[1] ?? goodBody.id, secret: "in the answer" };
    const headers = { "retry-after-ms": "100.4", "x-key": apiKey };
    return Response.json(body, { status: outcome as number, headers });
  };
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
    { ...call, status, attempt, ms: 0 },
  ];
  const again = (attempt: number, status: unknown, delayMs: number): Line => [
    "info",
    "Sending a request again",
    { ...call, status, attempt, delayMs },
  ];

  const retries = [sent(1, 429), again(1, 429, 100), sent(2, 429), again(2, 429, 100), sent(3, 200)];
  test.each<[what: string, outcomes: (number | Error)[], expected: Line[]]>([
    ["a success", [200], [sent(1, 200)]],
    ["a refusal", [404], [sent(1, 404)]],
    ["a failure of the caller's fetch", [new RangeError("no")], [sent(1, "broken")]],
    ["retries", [429, 429, 200], retries],
    ["a key that was rotated", [401, 200], [sent(1, 401), again(1, 401, 0), sent(2, 200)]],
  ])("there is one line an attempt, and one a retry: %s", async (_, outcomes, expected) => {
    const { lines, logger } = recorded();
    const keys = [apiKey];
    const options = { baseUrl, fetch: answering(...outcomes), logger };
    await outcomeOf(method, { ...options, apiKey: () => keys.shift() ?? "sk_live_second_key" });
    expect(lines).toEqual(expected);
    expect(JSON.stringify(lines)).not.toMatch(/in the answer|sk_live|app-1|iphone/);
  });

  test.each<[what: string, write: (message: string, fields?: object) => unknown]>([
    ["throws", () => expect.fail("disk full")],
    ["rejects", () => Promise.reject(new Error("disk full"))],
    ["never settles", () => new Promise(() => {})],
  ])("a logger that %s disturbs nothing", async (_, write) => {
    const level = write as Logger["debug"];
    const logger = { debug: level, info: level, warn: level, error: level };
    const { value } = await outcomeOf(method, { baseUrl, logger, fetch: answering(429, 200) });
    expect(value).toMatchObject(goodBody);
  });
});

// The error, which is the caller's own reason, cannot say that a create may have cost something, and what it bought.
test.each([
  ["GET", '{"id":"job-7","status":"que', undefined],
  ["POST", "", undefined],
  ["POST", '{"jobId":"job-7","credits":{"co', "job-7"],
  ["POST", '{"jobId":7,"credits":{"co', "7"],
  ["POST", '{"credits":{"co', undefined],
] as const)("a %s that is aborted after %j is logged with its job", async (method, text, jobId) => {
  const watched = watchedSignal();
  const { lines, logger } = recorded();
  const onResponse = vi.fn();
  const server = await rawServer((socket) => {
    if (text) socket.write(head(201, { "content-length": 500 }) + text);
    // A busy process runs its timers before it looks at its sockets.
    setTimeout(() => setImmediate(() => setImmediate(() => watched.controller.abort("enough"))), 50);
  });
  const options = { baseUrl: server.baseUrl, logger, onResponse };
  expect(await outcomeOf(method, options, new RequestClock(), watched)).toMatchObject({ error: "enough" });
  const fields = { ...operations[method], status: "aborted", attempt: 1 };
  const message = "A create was aborted in flight: the service may have charged it";
  const warned = [["warn", message, { ...fields, jobId }]];
  const sent = ["debug", "Sent a request", { ...fields, ms: 0 }];
  expect(lines).toEqual([sent, ...(method === "POST" ? warned : [])]);
  expect(onResponse).not.toHaveBeenCalled();
});

/** What the console is told by a client without a logger, of a create that is sent again, is odd and has a callback that throws. */
async function toldToConsole(options: { logger?: false } = {}) {
  const levels = ["debug", "info", "warn", "error"] as const;
  const told = levels.map((level) => vi.spyOn(console, level).mockImplementation(() => {}));
  const odd = Response.json({ jobId: "job-1", credits: "many" });
  const answers = [new Response(null, { status: 429, headers: { "retry-after-ms": "1" } }), odd];
  await outcomeOf("POST", {
    baseUrl,
    fetch: async () => answers.shift() as Response,
    ...options,
    onResponse: ({ status }) => status === 200 && expect.fail("full"),
  });
  return levels.filter((_, index) => (told[index]?.mock.calls.length ?? 0) > 0);
}

test.each<[level: string | undefined, expected: string[]]>([
  [undefined, ["warn", "error"]],
  ["debug", ["debug", "info", "warn", "error"]],
  ["info", ["info", "warn", "error"]],
  ["warn", ["warn", "error"]],
  ["ERROR", ["error"]],
  ["off", []],
  ["loud", ["warn", "error"]],
])(
  "without a logger, the console gets the lines from SCREENSHOT_SETS_LOG upwards: %s",
  async (level, expected) => {
    vi.stubEnv("SCREENSHOT_SETS_LOG", level);
    expect(await toldToConsole()).toEqual(expected);
  },
);

test("a client without a log tells nobody", async () => {
  vi.stubEnv("SCREENSHOT_SETS_LOG", "debug");
  expect(await toldToConsole({ logger: false })).toEqual([]);
});

test("a line on the console names the package", async () => {
  vi.stubEnv("SCREENSHOT_SETS_LOG", undefined);
  const { mock } = vi.spyOn(console, "warn").mockImplementation(() => {});
  await outcomeOf("POST", { baseUrl, fetch: async () => Response.json({ jobId: "job-1" }) });
  const difference = { operation: "createScreenshots", field: "credits", difference: expect.any(String) };
  expect(mock.calls).toEqual([[expect.stringMatching(/^screenshot-sets: An answer differs/), difference]]);
});

const sunset = "Sat, 01 May 2027 00:00:00 GMT";
test.each<[headers: Record<string, string>, status: number]>([
  [{ deprecation: "@1767225600", sunset, link: '<https://example.com/new>; rel="successor-version"' }, 200],
  [{ deprecation: "true" }, 200],
  [{ deprecation: "Thu, 01 Jan 2026 00:00:00 GMT" }, 404],
  [{ sunset }, 200],
])(
  "an operation that the service is about to end is told once, copies of the client included, as it says it: %j",
  async (headers, status) => {
    const { lines, logger } = recorded();
    const fetch = async () => Response.json({ ...goodBody, id: "job-1" }, { status, headers });
    const client = new ScreenshotSets({ apiKey, baseUrl, fetch, logger });
    for (const one of [client, client.withOptions({ maxRetries: 0 }), client]) {
      await one.jobs.get("job-1").catch(() => {});
    }
    const warned = lines.filter(([level]) => level === "warn");
    const message = "The service says that an operation is deprecated or will end";
    expect(warned).toEqual([["warn", message, { operation: "getJob", ...headers }]]);
  },
);

test("a link alone announces no end", async () => {
  const { lines, logger } = recorded();
  const fetch = async () => Response.json(goodBody, { headers: { link: "</next>; rel=next" } });
  await outcomeOf("POST", { baseUrl, fetch, logger });
  expect(lines.map(([level]) => level)).toEqual(["debug"]);
});
