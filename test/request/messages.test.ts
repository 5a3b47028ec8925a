import { ScreenshotSets } from "screenshot-sets";
import { describe, expect, test } from "vitest";
import { outcomeOf } from "../helpers/outcome-of.js";
import { RequestClock } from "../helpers/request-clock.js";

const baseUrl = "https://example.com/api/v1";
const words = "No such job";

/** The error of a read that is answered so. */
async function errorOf(answer: () => Response) {
  return (await outcomeOf("GET", { baseUrl, fetch: async () => answer(), maxRetries: 0 })).error;
}

const fields = ["message", "error", "detail", "title", "description", "reason"];

test.each<[where: string, body: unknown, found?: string]>([
  ["a string", words],
  ...fields.map((field): [string, unknown] => [field, { [field]: words }]),
  ["error_description, before error", { error: "invalid_grant", error_description: words }],
  ["errors, a list of strings", { errors: [words, "more"] }],
  ["errors, a list of objects", { errors: [{ message: words }] }],
  ["errorMessage", { errorType: "Error", errorMessage: words }],
  ["the fault of a gateway", { fault: { faultstring: words, detail: { errorcode: "policies.Quota" } } }],
  ["msg, in a list under detail", { detail: [{ loc: ["body"], msg: words }] }],
  ["five levels down", { error: { error: { error: { error: { error: words } } } } }],
  ["after fields without words", { message: "", error: null, detail: 7, title: words }],
  ["the first list item", [{ message: words }, { message: "other" }]],
  ["errors by field", { errors: { iosUrl: ["is no listing"], device: "?" } }, "iosUrl: is no listing"],
  ["the first field with words", { errors: { a: [], b: { msg: words } } }, `b: ${words}`],
  ["white space and control characters", { message: " No \u001b\n\t such\r\n\u009b job " }],
  ["a field that looks like HTML", { message: "<b>no</b>" }, "<b>no</b>"],
])("the words of a refusal are found in %s", async (_, body, found = words) => {
  const error = await errorOf(() => Response.json(body, { status: 404 }));
  expect(error.message).toBe(`getJob failed with 404: ${found}.`);
});

test.each([
  ["text that is no JSON, as it is", "said <no>", ": said <no>."],
  ["words that end in a full stop", "Gone.", ": Gone."],
  ["words that end in another mark", "Gone!", ": Gone!"],
  ["words that end in a question", "Gone?", ": Gone?"],
  ["words that are cut off already", "Gone…", ": Gone…"],
  ["500 characters", "x".repeat(500), `: ${"x".repeat(500)}.`],
  ["more, which are cut off", "x".repeat(501), `: ${"x".repeat(500)}…`],
  ["HTML, told by its status alone", " \n<!doctype html>", "."],
  ["nothing", "", "."],
  ["white space", " \n ", "."],
  ["null", "null", "."],
  ["an empty list", "[]", "."],
  ["errors without words", '{"errors":{"a":[],"b":null}}', "."],
  ["fields of other names", '{"code":"x","hint":"y"}', "."],
  ["words six levels down", JSON.stringify([[[[[[words]]]]]]), "."],
  ["fields nested without measure", `${'{"errors":{"field":'.repeat(10_000)}1${"}}".repeat(10_000)}`, "."],
])("the message of a refusal with %s", async (_, text, told) => {
  const error = await errorOf(() => new Response(text, { status: 404 }));
  expect(error.message).toBe(`getJob failed with 404${told}`);
});

test("the request id of a refusal is the first of the usual headers that is not empty", async () => {
  const names = ["x-request-id", "request-id", "x-correlation-id"];
  names.push("x-amzn-requestid", "x-amz-request-id", "cf-ray");
  const idOf = async (headers: Record<string, string>) =>
    (await errorOf(() => new Response("", { status: 404, headers }))).requestId;
  for (const [index, name] of names.entries()) {
    const later = names.slice(index).map((other) => [other, `of ${other}`]);
    expect(await idOf({ "x-request-id": "", ...Object.fromEntries(later) })).toBe(`of ${name}`);
  }
  expect(await idOf({ "x-other": "id-1" })).toBeUndefined();
});

const coded = (code: string, cause?: unknown) => Object.assign(new Error("failed", { cause }), { code });
const ofTwoAddresses = new AggregateError([coded("EPIPE"), coded("ECONNRESET")]);
const failure = (cause: unknown) => new TypeError("fetch failed", { cause });

/** What `fetch` throws, and what the error's message and `code` say of it. */
const failures: [what: string, thrown: unknown, why: string, code?: string][] = [
  ["the cause of the failure", failure(coded("ECONNRESET")), "failed", "ECONNRESET"],
  ["the failure itself", new TypeError("Failed to fetch"), "Failed to fetch"],
  ["the one of them with words", failure(new Error("")), "fetch failed"],
  ["the first address of a host", failure(ofTwoAddresses), "failed", "EPIPE"],
  ["the failure, before its cause", coded("EPIPE", coded("ECONNRESET")), "failed", "EPIPE"],
  ["the code of a failure without words", { name: "Error", code: "ECONNRESET" }, "ECONNRESET", "ECONNRESET"],
];

const never = new Promise<Response>(() => {});
const breakingOff = () => new ReadableStream({ pull: () => Promise.reject(new TypeError("terminated")) });
const opaque = () => Object.defineProperty(new Response(null), "status", { value: 0 });
const redirected = () => Object.defineProperty(Response.json({}), "redirected", { value: true });
const unfit = "was answered 200 with a body that breaks the document: ";

const elsewhere = "was answered 200 with an answer from somewhere else, after a redirect.";
const brokenOff = "failed: the body of the 206 answer broke off (terminated).";
const noRedirect = "was answered 399 with a redirect, which is never followed.";

/** What `fetch` answers, and the error's message about it. */
const answers: [message: string, answer: (clock: RequestClock) => unknown][] = [
  [brokenOff, () => new Response(breakingOff(), { status: 206 })],
  ["timed out: no whole answer from <host> within 90000 ms.", (clock) => [never, clock.expire()][0]],
  ["was answered 200 with an empty body.", () => new Response(" ")],
  ["was answered 200 with a body that is not JSON.", () => new Response("pong")],
  [noRedirect, () => new Response(null, { status: 399 })],
  [elsewhere, redirected],
  ["was answered 0 with a redirect, which is never followed.", opaque],
  ["failed: no answer from <host>.", () => Promise.reject(new Error(""))],
  [`${unfit}body: Expected an object, got null.`, () => Response.json(null)],
  [`${unfit}<id>: Expected a string, got undefined.`, () => Response.json({})],
];

const { host } = new URL(baseUrl);

const mayBeCharged =
  " The service may have accepted and charged it: check the credits before you send it again.";

describe.each([
  ["GET", "getJob", "id", ""],
  ["POST", "createScreenshots", "jobId", mayBeCharged],
] as const)("the error of a %s says", (method, name, id, hint) => {
  test.each(failures)("why there was no answer: %s", async (_, thrown, why, code) => {
    const fetch = () => Promise.reject(thrown);
    const { error } = await outcomeOf(method, { baseUrl, fetch, maxRetries: 0 });
    expect(error.message).toBe(`${name} failed: no answer from ${host} (${why}).${hint}`);
    expect(error.code).toBe(code);
  });

  test.each(answers)("%s", async (message, answer) => {
    const clock = new RequestClock();
    const fetch = async () => answer(clock) as Response;
    const { error } = await outcomeOf(method, { baseUrl, fetch, maxRetries: 0 }, clock);
    expect(error.message).toBe(`${name} ${message.replace("<id>", id).replace("<host>", host)}${hint}`);
  });
});

test("the message of a refusal names the request, by which the service's people find it", async () => {
  const fetch = async () => new Response("{}", { status: 500, headers: { "x-request-id": "req-7" } });
  const { error } = await outcomeOf("GET", { baseUrl, fetch, maxRetries: 0 });
  expect(error.message).toBe("getJob failed with 500. (Request id: req-7)");
});

const wrongUrl = "Check the base URL: it does not end in /api/v1, as the service's address does.";

test("a 404 below a base URL that does not end as the document's says so, until a call has succeeded", async () => {
  const job = { id: "job-1", status: "queued", result: null, error: null };
  let status = 404;
  const fetch = async () => Response.json(job, { status });
  const messageOf = async (client: ScreenshotSets) =>
    (await client.jobs.get("job-1").catch((error: Error) => error.message)) as string;

  expect(await messageOf(new ScreenshotSets({ apiKey: "key", baseUrl, fetch }))).not.toContain(wrongUrl);
  const client = new ScreenshotSets({ apiKey: "key", baseUrl: baseUrl.replace("/api/v1", ""), fetch });
  expect(await messageOf(client)).toContain(wrongUrl);
  status = 200;
  expect(await messageOf(client)).toEqual(job);
  status = 404;
  expect(await messageOf(client)).not.toContain(wrongUrl);
});
