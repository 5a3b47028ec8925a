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
  /** The row that is told first. */
  first?: string;
  /** What some rows say of the service. */
  shows?: Record<string, string>;
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
const differing = (...rows: string[]) => Object.fromEntries(rows.map((row) => [row, differs]));

/** What `verify` says of a service that breaks nothing, breaks something, does not answer, or may have charged something. */
const harmless = (rows: Rows = {}) => ({ exits: 0, rows });
const broken = (rows: Rows) => ({ exits: 1, rows });
const silent = (says: RegExp, ...rows: string[]) => ({ exits: 4, says, rows: untried(...rows) });
const charged = (says: RegExp, rows: Rows) => ({ exits: 3, says, rows });
type Rows = Record<string, string>;

const json = (status: number, body: unknown, headers = {}) => Response.json(body, { status, headers });
const page = (status: number) => new Response(`<h1>Sorry, ${apiKey}</h1>`, { status });
const redirect = (status: number) =>
  new Response(null, { status, headers: { location: "https://example.com/" } });
const failure = (code: string) =>
  Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error(code), { code }) });
const throwing = (code: string) => () => {
  throw failure(code);
};
const hang = () => new Promise<never>(() => {});

type Answers = NonNullable<StandIn["answers"]>;

/** Answers every request for an operation, or every one, in the same way. */
const always =
  (answer: () => Response | Promise<Response>, ...operations: string[]): Answers =>
  async ({ operation }, passOn) =>
    operations.length === 0 || operations.includes(operation) ? answer() : passOn();

/** Answers some requests for an operation in this way: those with these indexes, from 0. */
const once =
  (answer: () => Response, operation: string, ...indexes: number[]): Answers =>
  async (asked, passOn) =>
    asked.operation === operation && indexes.includes(asked.index) ? answer() : passOn();

/** Changes what an operation answers when it succeeds. */
const edited =
  (operation: string, edit: (body: Record<string, never>) => unknown, status?: number): Answers =>
  async (asked, passOn) => {
    const answer = await passOn();
    if (asked.operation !== operation || !answer.ok) return answer;
    return json(status ?? answer.status, edit((await answer.json()) as never));
  };

const deep = "[".repeat(100_000) + "]".repeat(100_000);

/** Adds to what an operation answers a field that nests deeper than a function that calls itself can walk. */
const nested =
  (operation: string): Answers =>
  async (asked, passOn) => {
    const answer = await passOn();
    if (asked.operation !== operation) return answer;
    const { status } = answer;
    const body = (await answer.text()).replace(/\}$/, `,"x":${deep}}`);
    return new Response(body, { status, headers: { "content-type": "application/json" } });
  };

/** Answers in this way where the headers are so. */
const where =
  (isSo: (headers: Headers, operation: string) => boolean, answer: () => Response): Answers =>
  async ({ headers, operation }, passOn) =>
    isSo(headers, operation) ? answer() : passOn();

const hasKey = (headers: Headers) => [...headers.values()].some((value) => value.includes(apiKey));

/** Plans sets as they were recorded. */
const planning = (set: Recorded["set"]) => ({
  isPaid: true as const,
  plays: { recorded: { version: 1 as const, set } },
});
/** Refuses a look at a job as it was recorded. */
const refusing = (getJob: NonNullable<Recorded["refusals"]>["getJob"]) => ({
  plays: { recorded: { version: 1 as const, refusals: { getJob } } },
});

const refused = { status: 422, body: { detail: [{ loc: ["body"], msg: "no" }] } };
const recorded: Recorded = {
  version: 1,
  refusals: { createApp: { invalidRequest: refused }, createScreenshots: { invalidRequest: refused } },
};

/** Each is one sentence: "A service that …". */
export const standIns: Record<string, StandIn> = {
  // In step.
  "is in step": harmless(),
  "is in step, and plans a set": { isPaid: true, ...harmless() },
  "answers 503 twice, and is there again": { answers: once(() => page(503), "getJob", 0, 1), ...harmless() },
  "takes one request a second": {
    answers: async ({ sinceLastMs }, passOn) =>
      sinceLastMs < 1000 ? json(429, {}, { "retry-after": "1" }) : passOn(),
    ...harmless(),
  },
  "asks for a pause of 20 s": {
    answers: once(() => json(429, {}, { "retry-after": "20" }), "createApp", 0),
    ...harmless(),
  },
  "takes long for a job, and is out of order for a moment when it has ended": {
    isPaid: true,
    answers: async ({ operation, index }, passOn) => {
      if (operation !== "getJob" || ![4, 8].includes(index)) return passOn();
      return index === 4 ? json(429, {}, { "retry-after": "45" }) : page(503);
    },
    ...harmless(),
  },
  "refuses otherwise than the mock guesses": {
    plays: { recorded },
    ...harmless({ "a set {}": otherwise, "an app {}": otherwise }),
  },
  "has another document": {
    answers: always(() => json(200, { openapi: "3.1.0" }), "document"),
    ...harmless(differing("the OpenAPI document")),
  },
  "plans other slides": {
    ...planning({ slides: [{ headline: "one" }, { theme: 3 }] }),
    ...harmless({ "the fields of a slide": otherwise }),
  },
  "fails a job": { ...planning({ states: ["failed"] }), ...harmless(untried("the fields of a slide")) },
  "answers 200 in place of 201": {
    isPaid: true,
    answers: edited("createScreenshots", (body) => body, 200),
    ...harmless(differing("a set")),
  },
  "nests a refusal too deep": {
    answers: nested("createApp"),
    shows: { "an app {}": "400 (nested too deep to be compared)" },
    ...harmless(untried("an app {}")),
  },
  "nests an acceptance too deep": {
    isPaid: true,
    answers: nested("createScreenshots"),
    shows: { "a set": "201 (nested too deep to be compared)", "the price of a set": `${setCost} credits` },
    ...harmless(untried("a set {}", "a set of an unknown app")),
    says: /^To get the result, run:\nscreenshot-sets wait job_1 --json\n$/m,
  },
  "nests a job too deep": {
    isPaid: true,
    answers: nested("getJob"),
    shows: { "a job": "200 (nested too deep to be compared)" },
    ...harmless(untried("an unknown job", "the fields of a slide")),
  },
  "has become cheaper": { ...planning({ cost: 1 }), ...harmless(differing("the price of a set")) },

  // Out of order: no row says that it differs.
  "is not there": {
    answers: always(throwing("ECONNREFUSED")),
    ...silent(/^Nobody answers: .*ECONNREFUSED.*\n?$/, ...freeRows),
  },
  "resets connections": {
    answers: always(throwing("ECONNRESET")),
    ...silent(/^Nobody answers: /m, ...freeRows),
  },
  hangs: { answers: always(hang), ...silent(/^Nobody answers: .*timed out/m, ...freeRows) },
  "breaks off its answers": {
    answers: always(() => {
      const body = new ReadableStream({ start: (stream) => stream.error(failure("ECONNRESET")) });
      return new Response(body, { status: 404 });
    }),
    ...silent(/^Nobody answers: /m, ...freeRows),
  },
  "is out of order": {
    answers: always(() => page(503)),
    ...silent(/^The service is out of order: .*503/m, ...freeRows),
  },
  "answers that it waited too long": {
    answers: always(() => json(408, {})),
    ...silent(/^Nobody answers: .*408/m, ...freeRows),
  },
  "has lost its jobs": {
    answers: always(() => json(500, {}), "getJob"),
    ...silent(/^The service is out of order: .*500/m, ...freeRows.slice(1)),
  },
  "has lost its document": {
    answers: always(() => page(502), "document"),
    ...silent(/^The service is out of order: .*502/m, "the OpenAPI document"),
  },
  "takes no more requests today": {
    answers: always(() => json(429, {}, { "retry-after": "3600" })),
    ...silent(/^The service limits requests: .*429/m, ...freeRows),
  },
  "refuses every create by 429": {
    answers: always(() => json(429, {}), "createApp", "createScreenshots"),
    ...silent(/^The service limits requests: .*429/m, ...creates),
  },
  "refuses the key": {
    answers: where(
      (headers) => headers.get("authorization") !== "Bearer verify-no-such-key",
      () => json(401, { message: `Send authorization or x-api-key, not ${apiKey}` }),
    ),
    ...silent(/^The key in SCREENSHOT_SETS_API_KEY is refused: .*401/m, "the OpenAPI document", ...needKey),
  },
  "has locked the account": {
    answers: where(
      (headers, operation) => operation !== "document" && hasKey(headers),
      () => json(403, {}),
    ),
    ...silent(/^The key in SCREENSHOT_SETS_API_KEY is refused: .*403/m, ...needKey),
  },
  "takes the key for no create": {
    isPaid: true,
    answers: always(() => json(403, {}), "createApp", "createScreenshots"),
    ...silent(/^The key in SCREENSHOT_SETS_API_KEY is refused: .*403/m, ...creates, "a set"),
  },
  "has no credits left": {
    isPaid: true,
    plays: { allowance: setCost - 1 },
    ...silent(/402/, "a set", "the price of a set"),
  },
  "goes down when an app is created": {
    isPaid: true,
    answers: once(throwing("ECONNREFUSED"), "createApp", 1),
    ...silent(/ECONNREFUSED/, "an app", "a set"),
  },

  // Out of step.
  "no longer takes x-api-key": {
    answers: where(
      (headers) => headers.has("x-api-key"),
      () => json(401, {}),
    ),
    ...broken(differing("the key in x-api-key")),
  },
  "no longer takes Authorization": {
    answers: where(
      (headers, operation) => operation !== "document" && headers.get("authorization") === `Bearer ${apiKey}`,
      () => json(401, {}),
    ),
    ...broken({ ...differing("the key in Authorization"), ...untried("an unknown job", ...creates) }),
  },
  "answers a wrong key by 403": {
    ...refusing({ wrongKey: { status: 403 } }),
    ...broken(differing("a wrong key")),
  },
  "names one header where there is no key": {
    ...refusing({ missingKey: { status: 401, body: "Send x-api-key" } }),
    ...broken(differing("no key")),
  },
  "needs no key": {
    answers: where(
      (headers) => !headers.has("authorization") && !headers.has("x-api-key"),
      () => json(404, {}),
    ),
    ...broken(differing("no key")),
  },
  "knows every job": {
    answers: always(() => json(200, {}), "getJob"),
    ...broken(differing("no key", "a wrong key", "an unknown job")),
  },
  "has no document": {
    answers: always(() => page(404), "document"),
    ...broken(differing("the OpenAPI document")),
  },
  "is a web page": {
    answers: always(() => page(200)),
    ...broken({ ...differing(...freeRows), ...untried(...creates) }),
  },
  "has moved": {
    answers: always(() => redirect(302)),
    ...broken({ ...differing(...freeRows), ...untried(...creates) }),
  },
  "has become dearer": { ...planning({ cost: 2 * setCost }), ...broken(differing("the price of a set")) },
  "tells no price": {
    isPaid: true,
    answers: edited("createScreenshots", ({ jobId }) => ({ jobId })),
    ...broken(differing("a set", "the price of a set")),
  },
  "leaves out a field of an app": {
    isPaid: true,
    answers: edited("createApp", ({ category: _, ...body }) => body),
    ...broken(differing("an app")),
  },
  "gives a field of an app another type": {
    isPaid: true,
    answers: edited("createApp", (body) => ({ ...body, artworkUrl: null })),
    ...broken(differing("an app")),
  },
  "has renamed appId": {
    isPaid: true,
    answers: edited("createApp", ({ appId, ...body }) => ({ ...body, id: appId })),
    ...broken({ ...differing("an app"), ...untried("a set") }),
  },
  "has renamed the result of a job": {
    isPaid: true,
    answers: edited("getJob", ({ result, ...body }) => ({ ...body, output: result })),
    ...broken(differing("a job")),
  },
  "leaves out the error of a job that succeeded": {
    isPaid: true,
    answers: edited("getJob", ({ error: _, ...body }) => body),
    ...broken(differing("a job")),
  },
  "fails a job without an error": {
    isPaid: true,
    answers: edited("getJob", (body) => ({ ...body, status: "failed", result: null, error: null })),
    ...broken(differing("the error of a failed job")),
  },
  "has a further state of jobs": {
    ...planning({ states: ["planning", "succeeded"] }),
    ...broken(differing("the states of a job")),
  },
  "refuses a set as documented": {
    isPaid: true,
    answers: once(() => json(422, { error: "theme is required" }), "createScreenshots", 2),
    ...broken({ ...differing("a set"), ...untried("the price of a set") }),
  },

  // Something may have been charged.
  "accepts a set {}": {
    answers: always(() => json(201, { jobId: "job_9", credits: {} }), "createScreenshots"),
    first: "a set {}",
    shows: { "a set {}": 'accepted: 201 {"jobId":"job_9","credits":{}}' },
    ...charged(
      /^Against the rules, a set \{\} was accepted: 201 \{"jobId":"job_9","credits":\{\}\}\nTo get the result, run:\nscreenshot-sets wait job_9 --json\n$/,
      { ...differing("a set {}"), ...untried("an app {}") },
    ),
  },
  "accepts a set of an unknown app": {
    isPaid: true,
    answers: once(() => json(201, { jobId: "job_9" }), "createScreenshots", 1),
    ...charged(/\nscreenshot-sets wait job_9 --json\n$/, {
      ...differing("a set of an unknown app"),
      ...untried("an app", "a set"),
    }),
  },
  "accepts an app {}": {
    answers: always(() => json(200, { appId: "app_9" }), "createApp"),
    ...charged(/^Against the rules, an app \{\} was accepted: 200 /m, differing("an app {}")),
  },
  "is out of order for a set {}": {
    answers: always(() => page(503), "createScreenshots"),
    ...charged(/^It is not certain that a set \{\} was refused: .*503/m, untried(...creates)),
  },
  "leaves a set {} without an answer": {
    answers: always(hang, "createScreenshots"),
    ...charged(/^It is not certain that a set \{\} was refused: .*timed out/m, untried(...creates)),
  },
  "redirects creates": {
    answers: always(() => redirect(307), "createScreenshots"),
    ...charged(/^It is not certain /m, { ...differing("a set {}"), ...untried("an app {}") }),
  },
  "has renamed jobId": {
    isPaid: true,
    answers: edited("createScreenshots", ({ jobId, ...body }) => ({ ...body, id: jobId })),
    ...charged(/A set was accepted, and its job is not named/, differing("a set")),
  },
  "loses the answer to a set": {
    isPaid: true,
    answers: async ({ operation, index }, passOn) => {
      const answer = await passOn();
      if (operation === "createScreenshots" && index === 2) throw failure("ECONNRESET");
      return answer;
    },
    ...charged(/may have accepted/, untried("a set")),
  },
  "never ends a job": {
    isPaid: true,
    plays: { lifecycle: "manual" },
    ...charged(/did not end/, untried("a job")),
  },

  "nests the acceptance of a set too deep that never ends": {
    isPaid: true,
    plays: { lifecycle: "manual" },
    answers: nested("createScreenshots"),
    ...charged(/did not end[\s\S]*\nscreenshot-sets wait job_1 --json\n$/, {
      ...untried("a set {}", "a set of an unknown app", "a job"),
    }),
  },
  "accepts a set {} by an answer that nests too deep": {
    answers: async ({ operation }, passOn) =>
      operation === "createScreenshots"
        ? new Response(`{"jobId":"job_9","x":${deep}}`, { status: 201 })
        : passOn(),
    ...charged(/ was accepted: 201 [\s\S]*\nscreenshot-sets wait job_9 --json\n$/, {
      ...differing("a set {}"),
      ...untried("an app {}"),
    }),
  },

  // Compared with a recording.
  "is as it was recorded": { recorded, plays: { recorded }, ...harmless() },
  "says the same in other words": {
    recorded,
    answers: always(
      () => json(422, { detail: [{ loc: ["query"], msg: "never" }] }),
      "createApp",
      "createScreenshots",
    ),
    ...harmless(),
  },
  "nests too deep what was recorded": {
    recorded: {
      version: 1,
      refusals: {
        createApp: { invalidRequest: { status: 400 } },
        createScreenshots: recorded.refusals?.createScreenshots,
      },
    },
    plays: {
      recorded: { version: 1, refusals: { createScreenshots: recorded.refusals?.createScreenshots } },
    },
    answers: nested("createApp"),
    ...harmless(untried("an app {}")),
  },
  "refuses otherwise than was recorded": {
    recorded,
    ...broken({ "a set {}": changed, "an app {}": changed }),
  },
  "has another type for a field than was recorded": {
    recorded,
    plays: { recorded },
    answers: always(() => json(422, { detail: [{ loc: ["body"], msg: 7 }] }), "createApp"),
    ...broken({ "an app {}": changed }),
  },
};
