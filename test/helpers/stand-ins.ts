import { setCost } from "screenshot-sets";
import type { MockOptions, Recorded } from "screenshot-sets/mock";

/** The key that they take. */
export const apiKey = "ss_live_right";

/** A service that is out of step or out of order in some way, and what `verify` says of it. */
export interface StandIn {
  /** What the mock in it plays. */
  plays?: MockOptions;
  /** Answers in place of the mock, or passes its answer on. */
  answers?(asked: Asked, passOn: () => Promise<Response>): Promise<Response>;
  /** Whether a set is ordered. */
  isPaid?: true;
  /** What it is compared with. */
  recorded?: Recorded;
  /** The exit code. */
  exits: number;
  /** The verdicts on rows that are not as they should be. */
  rows?: Record<string, string>;
  /** What standard error says. */
  says?: RegExp;
}

/** A request. */
export interface Asked {
  /** An operation of the document, or that for the document itself. */
  operation: string;
  /** How often it was asked for before. */
  index: number;
  headers: Headers;
  /** How long ago the last request was passed on, in milliseconds. */
  sinceLastMs: number;
}

const differs = "differs from the document";
const changed = "differs from the recording";
const otherwise = "the mock guesses otherwise";

const keys = ["the key in Authorization", "the key in x-api-key"];
const creates = ["a set {}", "an app {}"];
const needKey = [...keys, "an unknown job", ...creates];
export const freeRows = ["the OpenAPI document", "no key", "a wrong key", ...needKey];

const untried = (...rows: string[]) => Object.fromEntries(rows.map((row) => [row, "not tried"]));
const json = (status: number, body: unknown, headers = {}) => Response.json(body, { status, headers });
const page = (status: number) => new Response(`<h1>Sorry, ${apiKey}</h1>`, { status });
const broken = (code: string) =>
  Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error(code), { code }) });
const hang = () => new Promise<never>(() => {});

type Answers = NonNullable<StandIn["answers"]>;

/** Answers every request for an operation, or every one, in the same way. */
const always =
  (answer: () => Response | Promise<Response>, ...operations: string[]): Answers =>
  async ({ operation }, passOn) =>
    operations.length === 0 || operations.includes(operation) ? answer() : passOn();

/** Changes what an operation answers when it succeeds. */
const edited =
  (operation: string, edit: (body: Record<string, never>) => unknown, status?: number): Answers =>
  async (asked, passOn) => {
    const answer = await passOn();
    if (asked.operation !== operation || !answer.ok) return answer;
    return json(status ?? answer.status, edit((await answer.json()) as never));
  };

/** Answers the set that is ordered after all that is to be refused. */
const set =
  (answer: (passOn: () => Promise<Response>) => Response | Promise<Response>): Answers =>
  async ({ operation, index }, passOn) =>
    operation === "createScreenshots" && index === 2 ? answer(passOn) : passOn();

const throwing = (code: string) => () => {
  throw broken(code);
};

const withoutKey: Answers = async ({ headers }, passOn) =>
  headers.has("authorization") || headers.has("x-api-key") ? passOn() : json(404, {});

const refused = { status: 422, body: { detail: [{ loc: ["body"], msg: "no" }] } };
const recorded: Recorded = {
  version: 1,
  refusals: { createApp: { invalidRequest: refused }, createScreenshots: { invalidRequest: refused } },
};

/** Each is one sentence: "A service that …". */
export const standIns: Record<string, StandIn> = {
  // In step.
  "is in step": { exits: 0 },
  "is in step, and plans a set": { isPaid: true, exits: 0 },
  "answers 503 twice, and is there again": {
    answers: async ({ operation, index }, passOn) =>
      operation === "getJob" && index < 2 ? page(503) : passOn(),
    exits: 0,
  },
  "takes one request a second": {
    answers: async ({ sinceLastMs }, passOn) =>
      sinceLastMs < 1000 ? json(429, {}, { "retry-after": "1" }) : passOn(),
    exits: 0,
  },
  "asks for a pause of 20 s": {
    answers: async ({ operation, index }, passOn) =>
      operation === "createApp" && index === 0 ? json(429, {}, { "retry-after": "20" }) : passOn(),
    exits: 0,
  },
  "refuses otherwise than the mock guesses": {
    plays: { recorded },
    ...{ exits: 0, rows: { "a set {}": otherwise, "an app {}": otherwise } },
  },
  "has another document": {
    answers: always(() => json(200, { openapi: "3.1.0" }), "document"),
    ...{ exits: 0, rows: { "the OpenAPI document": differs } },
  },
  "plans other slides": {
    plays: { recorded: { version: 1, set: { slides: [{ headline: "one" }, { theme: 3 }] } } },
    ...{ isPaid: true, exits: 0, rows: { "the fields of a slide": otherwise } },
  },
  "fails a job": {
    plays: { recorded: { version: 1, set: { states: ["failed"] } } },
    ...{
      isPaid: true,
      exits: 0,
      rows: { "the fields of a slide": "not tried" },
    },
  },
  "answers 200 in place of 201": {
    answers: edited("createScreenshots", (body) => body, 200),
    ...{ isPaid: true, exits: 0, rows: { "a set": differs } },
  },
  "has become cheaper": {
    plays: { recorded: { version: 1, set: { cost: 1 } } },
    ...{ isPaid: true, exits: 0, rows: { "the price of a set": differs } },
  },

  // Out of order: no row says that it differs.
  "is not there": {
    answers: always(throwing("ECONNREFUSED")),
    ...{ exits: 4, rows: untried(...freeRows), says: /^Nobody answers: .*ECONNREFUSED/m },
  },
  "resets connections": {
    answers: always(throwing("ECONNRESET")),
    ...{ exits: 4, rows: untried(...freeRows), says: /^Nobody answers: /m },
  },
  hangs: {
    answers: always(hang),
    ...{ exits: 4, rows: untried(...freeRows), says: /^Nobody answers: .*timed out/m },
  },
  "breaks off its answers": {
    answers: always(
      async () =>
        new Response(new ReadableStream({ start: (stream) => stream.error(broken("ECONNRESET")) }), {
          status: 404,
        }),
    ),
    ...{ exits: 4, rows: untried(...freeRows), says: /^Nobody answers: /m },
  },
  "is out of order": {
    answers: always(() => page(503)),
    ...{ exits: 4, rows: untried(...freeRows), says: /^The service is out of order: .*503/m },
  },
  "answers that it waited too long": {
    answers: always(() => json(408, {})),
    ...{ exits: 4, rows: untried(...freeRows), says: /^Nobody answers: .*408/m },
  },
  "has lost its jobs": {
    answers: always(() => json(500, {}), "getJob"),
    ...{ exits: 4, rows: untried(...freeRows.slice(1)), says: /^The service is out of order: .*500/m },
  },
  "has lost its document": {
    answers: always(() => page(502), "document"),
    ...{ exits: 4, rows: untried("the OpenAPI document"), says: /^The service is out of order: .*502/m },
  },
  "takes no more requests today": {
    answers: always(() => json(429, {}, { "retry-after": "3600" })),
    ...{ exits: 4, rows: untried(...freeRows), says: /^The service limits requests: .*429/m },
  },
  "refuses every create by 429": {
    answers: always(() => json(429, {}), "createApp", "createScreenshots"),
    ...{ exits: 4, rows: untried(...creates), says: /^The service limits requests: .*429/m },
  },
  "refuses the key": {
    answers: async ({ headers }, passOn) =>
      headers.get("authorization") === "Bearer verify-no-such-key"
        ? passOn()
        : json(401, { message: `Send authorization or x-api-key, not ${apiKey}` }),
    ...{
      exits: 4,
      rows: untried("the OpenAPI document", ...needKey),
      says: /^The key in SCREENSHOT_SETS_API_KEY is refused: .*401/m,
    },
  },
  "has locked the account": {
    answers: async ({ operation, headers }, passOn) =>
      operation === "document" || [...headers.values()].every((value) => !value.includes(apiKey))
        ? passOn()
        : json(403, {}),
    ...{
      exits: 4,
      rows: untried(...needKey),
      says: /^The key in SCREENSHOT_SETS_API_KEY is refused: .*403/m,
    },
  },
  "takes the key for no create": {
    answers: always(() => json(403, {}), "createApp", "createScreenshots"),
    ...{
      isPaid: true,
      exits: 4,
      rows: untried(...creates, "a set"),
      says: /^The key in SCREENSHOT_SETS_API_KEY is refused: .*403/m,
    },
  },
  "has no credits left": {
    plays: { allowance: setCost - 1 },
    ...{ isPaid: true, exits: 4, rows: untried("a set", "the price of a set"), says: /402/ },
  },
  "goes down when an app is created": {
    answers: async ({ operation, index }, passOn) =>
      operation === "createApp" && index === 1 ? throwing("ECONNREFUSED")() : passOn(),
    ...{ isPaid: true, exits: 4, rows: untried("an app", "a set"), says: /ECONNREFUSED/ },
  },

  // Out of step.
  "no longer takes x-api-key": {
    answers: async ({ headers }, passOn) => (headers.has("x-api-key") ? json(401, {}) : passOn()),
    ...{ exits: 1, rows: { "the key in x-api-key": differs } },
  },
  "no longer takes Authorization": {
    answers: async ({ operation, headers }, passOn) =>
      operation !== "document" && headers.get("authorization")?.includes(apiKey) ? json(401, {}) : passOn(),
    ...{ exits: 1, rows: { "the key in Authorization": differs, ...untried("an unknown job", ...creates) } },
  },
  "answers a wrong key by 403": {
    plays: { recorded: { version: 1, refusals: { getJob: { wrongKey: { status: 403 } } } } },
    ...{ exits: 1, rows: { "a wrong key": differs } },
  },
  "names one header where there is no key": {
    plays: {
      recorded: { version: 1, refusals: { getJob: { missingKey: { status: 401, body: "Send x-api-key" } } } },
    },
    ...{ exits: 1, rows: { "no key": differs } },
  },
  "needs no key": { answers: withoutKey, ...{ exits: 1, rows: { "no key": differs } } },
  "knows every job": {
    answers: always(() => json(200, {}), "getJob"),
    ...{ exits: 1, rows: { "no key": differs, "a wrong key": differs, "an unknown job": differs } },
  },
  "has no document": {
    answers: always(() => page(404), "document"),
    ...{ exits: 1, rows: { "the OpenAPI document": differs } },
  },
  "is a web page": {
    answers: always(() => page(200)),
    ...{
      exits: 1,
      rows: { ...Object.fromEntries(freeRows.map((row) => [row, differs])), ...untried(...creates) },
    },
  },
  "has moved": {
    answers: always(() => new Response(null, { status: 302, headers: { location: "https://example.com/" } })),
    ...{
      exits: 1,
      rows: { ...Object.fromEntries(freeRows.map((row) => [row, differs])), ...untried(...creates) },
    },
  },
  "has become dearer": {
    plays: { recorded: { version: 1, set: { cost: 2 * setCost } } },
    ...{ isPaid: true, exits: 1, rows: { "the price of a set": differs } },
  },
  "tells no price": {
    answers: edited("createScreenshots", ({ jobId }) => ({ jobId })),
    ...{ isPaid: true, exits: 1, rows: { "a set": differs, "the price of a set": differs } },
  },
  "leaves out a field of an app": {
    answers: edited("createApp", ({ category: _, ...body }) => body),
    ...{ isPaid: true, exits: 1, rows: { "an app": differs } },
  },
  "gives a field of an app another type": {
    answers: edited("createApp", (body) => ({ ...body, artworkUrl: null })),
    ...{ isPaid: true, exits: 1, rows: { "an app": differs } },
  },
  "has renamed appId": {
    answers: edited("createApp", ({ appId, ...body }) => ({ ...body, id: appId })),
    ...{ isPaid: true, exits: 1, rows: { "an app": differs, ...untried("a set") } },
  },
  "has renamed the result of a job": {
    answers: edited("getJob", ({ result, ...body }) => ({ ...body, output: result })),
    ...{ isPaid: true, exits: 1, rows: { "a job": differs } },
  },
  "leaves out the error of a job that succeeded": {
    answers: edited("getJob", ({ error: _, ...body }) => body),
    ...{ isPaid: true, exits: 1, rows: { "a job": differs } },
  },
  "fails a job without an error": {
    answers: edited("getJob", (body) => ({ ...body, status: "failed", result: null, error: null })),
    ...{ isPaid: true, exits: 1, rows: { "the error of a failed job": differs } },
  },
  "has a further state of jobs": {
    plays: { recorded: { version: 1, set: { states: ["planning", "succeeded"] } } },
    ...{ isPaid: true, exits: 1, rows: { "the states of a job": differs } },
  },
  "refuses a set as documented": {
    answers: set(() => json(422, { error: "theme is required" })),
    ...{ isPaid: true, exits: 1, rows: { "a set": differs, ...untried("the price of a set") } },
  },

  // Something may have been charged.
  "accepts a set {}": {
    answers: always(() => json(201, { jobId: "job_9", credits: {} }), "createScreenshots"),
    ...{
      exits: 3,
      rows: { "a set {}": differs, ...untried("an app {}") },
      says: /^Against the rules, a set \{\} was accepted: 201 /m,
    },
  },
  "accepts an app {}": {
    answers: always(() => json(200, { appId: "app_9" }), "createApp"),
    ...{
      exits: 3,
      rows: { "an app {}": differs },
      says: /^Against the rules, an app \{\} was accepted: 200 /m,
    },
  },
  "is out of order for a set {}": {
    answers: always(() => page(503), "createScreenshots"),
    ...{
      exits: 3,
      rows: untried(...creates),
      says: /^It is not certain that a set \{\} was refused: .*503/m,
    },
  },
  "leaves a set {} without an answer": {
    answers: always(hang, "createScreenshots"),
    ...{
      exits: 3,
      rows: untried(...creates),
      says: /^It is not certain that a set \{\} was refused: .*timed out/m,
    },
  },
  "redirects creates": {
    answers: always(() => new Response(null, { status: 307 }), "createScreenshots"),
    ...{ exits: 3, rows: { "a set {}": differs, ...untried("an app {}") }, says: /^It is not certain /m },
  },
  "has renamed jobId": {
    answers: edited("createScreenshots", ({ jobId, ...body }) => ({ ...body, id: jobId })),
    ...{
      isPaid: true,
      exits: 3,
      rows: { "a set": differs },
      says: /A set was accepted, and its job is not named/,
    },
  },
  "loses the answer to a set": {
    answers: set(async (passOn) => {
      await passOn();
      throw broken("ECONNRESET");
    }),
    ...{ isPaid: true, exits: 3, rows: untried("a set"), says: /may have accepted/ },
  },
  "never ends a job": {
    plays: { lifecycle: "manual" },
    ...{ isPaid: true, exits: 3, rows: untried("a job"), says: /did not end/ },
  },

  // Compared with a recording.
  "is as it was recorded": { recorded, plays: { recorded }, exits: 0 },
  "says the same in other words": {
    recorded,
    answers: always(
      () => json(422, { detail: [{ loc: ["query"], msg: "never" }] }),
      "createApp",
      "createScreenshots",
    ),
    exits: 0,
  },
  "refuses otherwise than was recorded": {
    recorded,
    ...{ exits: 1, rows: { "a set {}": changed, "an app {}": changed } },
  },
  "has another type for a field than was recorded": {
    recorded,
    answers: always(() => json(422, { detail: [{ loc: ["body"], msg: 7 }] }), "createApp"),
    plays: { recorded },
    ...{ exits: 1, rows: { "an app {}": changed } },
  },
};
