import type { Mock, MockOptions } from "screenshot-sets/mock";
import { expect, test } from "vitest";
import { changed, type Document, load } from "../helpers/generated-module.js";
import { rejection } from "../helpers/rejection.js";
import { asking } from "../mock/ask.js";
import { json, text } from "./schemas.js";
import { sdkOf } from "./sdk-of.js";

// What a mock answers once its document says how requests are refused.

const object = (properties: object, required: string[] = []) => ({ type: "object", properties, required });
const problem = object({ detail: text }, ["detail"]);

/** The SDK of a document whose operations all have these answers, by status. */
async function sdkWith(contents: Record<string, object | undefined>, schemas: object = {}) {
  const document = changed(({ paths, components }: Document) => {
    Object.assign(components.schemas, schemas);
    for (const { get, post } of Object.values<Document>(paths)) {
      for (const [status, content] of Object.entries(contents)) {
        (get ?? post).responses[status] = { description: "Refused.", ...(content && { content }) };
      }
    }
  });
  return sdkOf(await load(document));
}

/** Each refusal once: of a body, an app, a job, for credits, and without a key. */
async function refusals(mock: Mock) {
  const { send, createSet, createApp, look } = asking(mock);
  const app = await createApp();
  await createSet(app);
  mock.credits.set(0);
  const attempts = [
    () => send("/public/v1/screenshots", {}),
    () => createSet("app_9"),
    () => look("job_9"),
    () => createSet(app),
    () => look("job_1", { headers: {} }),
  ];
  const statuses = [];
  for (const attempt of attempts)
    statuses.push(
      await attempt().then(
        ({ status }) => status,
        ({ guesses }) => guesses.join(),
      ),
    );
  return statuses;
}

const component = { $ref: "#/components/schemas/Problem" };
const items = object({ loc: { type: "array", items: text }, msg: text, type: text, input: {} }, [
  ...["loc", "msg", "type"],
]);
const message = expect.stringContaining("appId: Expected a string");

test.each<[what: string, schema: object, body: unknown, problem?: object]>([
  ["a field", problem, { detail: message }],
  ["a field that may be missing, but no other such", object({ hint: text, title: text }), { title: message }],
  [
    "the field that the client reads first, and a code",
    object({ title: text, message: text, code: text }, ["title"]),
    { title: "title 1", message, code: "invalid_request" },
  ],
  [
    "an object within",
    object({ error: object({ code: text, message: text, at: text }), id: text }, ["id"]),
    { id: "id 1", error: { code: "invalid_request", message } },
  ],
  [
    "a list of objects",
    object({ detail: { type: "array", items } }),
    { detail: [{ loc: [], msg: message, type: "type 1" }] },
  ],
  ["a text alone", text, message],
  [
    "a field of anything",
    object({ detail: {}, trace: {} }, ["detail", "trace"]),
    { detail: message, trace: null },
  ],
  [
    "a listed code",
    object({ error: text, code: { enum: ["not_found", "invalid_request"] } }, ["error", "code"]),
    { error: message, code: "invalid_request" },
  ],
  [
    "a list without the code",
    object({ error: text, code: { enum: ["E1", "E2"] } }),
    { error: message, code: "E1" },
  ],
  [
    "a number as code",
    object({ error: text, code: { type: "integer", minimum: 100 } }, ["code"]),
    { error: message, code: 100 },
  ],
  [
    "a text that has to be another one, before the field that takes any",
    object({ message: { enum: ["Refused"] }, detail: text }),
    { detail: message },
  ],
  ["no message", object({ reference: { type: "integer" } }, ["reference"]), { reference: 0 }],
  ["no message, but a code", object({ code: text }), { code: "invalid_request" }],
  [
    "its status",
    object({ status: { type: "integer", minimum: 100, maximum: 599 }, detail: text }, ["status"]),
    { status: 400, detail: message },
  ],
  [
    "its status as text",
    object({ errors: { type: "array", items: object({ status: text, detail: text }, ["status"]) } }),
    { errors: [{ status: "400", detail: message }] },
  ],
  [
    "its status from a list",
    object({ statusCode: { enum: [401, 400] }, detail: text }, ["statusCode"]),
    { statusCode: 400, detail: message },
  ],
  [
    "a status of something else",
    object({ status: { enum: ["open", "closed"] }, detail: text }, ["status"]),
    { status: "open", detail: message },
  ],
  ["a component", component, { detail: message }, problem],
  [
    "parts",
    { allOf: [component, object({ code: text })] },
    { detail: message, code: "invalid_request" },
    problem,
  ],
  [
    "alternatives",
    { oneOf: [object({ reference: text }, ["reference"]), component] },
    { detail: message },
    problem,
  ],
  ["what contains itself", component, { detail: message }, object({ error: component, detail: text })],
])("a documented error is made as described: %s", async (what, schema, body, Problem) => {
  const { createMock, ScreenshotSets } = await sdkWith(
    { 400: json(schema) },
    { ...(Problem && { Problem }) },
  );
  const mock = createMock({ strict: true });

  expect(await asking(mock).ask("/public/v1/screenshots", {})).toEqual({ status: 400, body });
  expect(mock.requests()).toMatchObject([{ guesses: [], recorded: [] }]);
  if (what.startsWith("no message")) return;
  const client = new ScreenshotSets(mock.clientOptions);
  const refused = await rejection(client.request("POST", "/public/v1/screenshots", { body: {} as never }));
  expect(refused.message).toEqual(message);
});

test.each([
  ["application/problem+json", { "application/problem+json": { schema: problem } }, { detail: message }],
  ["application/json", { "*/*": { schema: problem } }, { detail: message }],
  ["text/plain", { "text/plain": { schema: text } }, message],
])("it comes under the media type that the document names: %s", async (mediaType, content, body) => {
  const { createMock } = await sdkWith({ 400: content });
  const answer = await asking(createMock({ strict: true })).send("/public/v1/screenshots", {});

  expect(answer.headers.get("content-type")).toBe(mediaType);
  const told = await answer.text();
  expect(mediaType === "text/plain" ? told : JSON.parse(told)).toEqual(body);
});

const guesses = {
  invalid: "status.invalidRequest",
  gone: "status.notFound",
  poor: "status.insufficientCredits",
};

test.each<[listed: string[], statuses: (number | string)[]]>([
  [
    ["400", "402", "404", "410", "422"],
    [400, 404, 404, 402, 401],
  ],
  [
    ["402", "410", "422"],
    [422, 410, 410, 402, 401],
  ],
  [
    ["403", "409"],
    [guesses.invalid, guesses.gone, guesses.gone, guesses.poor, 401],
  ],
  [["4XX"], [guesses.invalid, guesses.gone, guesses.gone, guesses.poor, 401]],
  [
    ["default", "422"],
    [422, guesses.gone, guesses.gone, guesses.poor, 401],
  ],
])("of the statuses that a refusal may have, a listed one is no guess: %j", async (listed, statuses) => {
  const contents = Object.fromEntries(listed.map((status) => [status, json(problem)]));
  const { createMock } = await sdkWith({ ...contents, 401: json(problem) });
  const isBodyGuessed = listed.includes("403");

  const guessed = (one: number | string) =>
    isBodyGuessed && typeof one === "string" ? `${one},errorBody` : one;
  expect(await refusals(createMock({ strict: true }))).toEqual(statuses.map(guessed));
});

test("a status that is listed without a body leaves the body open", async () => {
  const { createMock } = await sdkWith({
    404: undefined,
    422: { "application/json": { schema: object({}) } },
  });

  expect(await refusals(createMock({ strict: true }))).toEqual([
    ...["errorBody", "errorBody", "errorBody", "status.insufficientCredits,errorBody", 401],
  ]);
});

test("what is configured or was recorded comes before the document", async () => {
  const { createMock } = await sdkWith({
    404: json(problem),
    410: json(object({ error: text })),
    422: json(problem),
  });
  const refusal = { status: 418, body: ["seen"] };
  const recorded = { version: 1, refusals: { createScreenshots: { invalidRequest: refusal } } };
  const answers = async (options: MockOptions) => {
    const { ask, look } = asking(createMock({ recorded, ...options }));
    return [await ask("/public/v1/screenshots", {}), await look("job_9"), await ask("/public/v1/apps", {})];
  };
  const missing = "The account has no such job.";

  expect(await answers({})).toMatchObject([
    refusal,
    { status: 404, body: { detail: missing } },
    { status: 422 },
  ]);
  expect(await answers({ undocumented: { status: { notFound: 410, invalidRequest: 409 } } })).toMatchObject([
    ...[
      { status: 409, body: ["seen"] },
      { status: 410, body: { error: missing } },
    ],
    { status: 409, body: { error: { code: "invalid_request" } } },
  ]);
  expect(await answers({ undocumented: { errorBody: ({ status }) => status } })).toEqual([
    ...[
      { status: 418, body: 418 },
      { status: 404, body: 404 },
      { status: 422, body: 422 },
    ],
  ]);
});

test("a documented 401 names both headers, and an armed fault has the body of its status", async () => {
  const { createMock } = await sdkWith({
    401: json(problem),
    "5XX": json(object({ fault: text, status: { type: "integer" } }, ["fault", "status"])),
  });
  const mock = createMock();
  const { look } = asking(mock);
  mock.fault({ status: 503 });

  expect((await look("job_1", { headers: {} })).body).toEqual({
    detail: expect.stringMatching(/authorization.*x-api-key/i),
  });
  expect((await look("job_1")).body).toEqual({ fault: "The mock was told to answer 503.", status: 503 });
  expect(mock.requests().map(({ guesses }) => guesses)).toEqual([[], []]);
});

test.each([[{ type: "integer", minimum: 1 }], [{ type: ["number", "null"], exclusiveMinimum: -1 }]])(
  "no two slides of a set have one index, however many it has: %j",
  async (index) => {
    const document = changed(({ components: { schemas } }) => {
      schemas.Job.properties.result.properties.slides.items = object({ index, headline: text });
      schemas.CreateScreenshotsRequest.properties.count.maximum = 50;
    });
    const { createMock } = await sdkOf(await load(document));
    const { createJob, look } = asking(createMock({ lifecycle: "instant" }));

    const { slides } = (await look(await createJob({ count: 50 }))).body.result;
    expect(new Set(slides.map((slide: { index: number }) => slide.index)).size).toBe(50);
  },
);

test("slides that the document describes are no guess", async () => {
  const document = changed(({ components: { schemas } }) => {
    schemas.Job.properties.result.properties.slides.items = object({ headline: text });
  });
  const { createMock } = await sdkOf(await load(document));
  const mock = createMock({ strict: true, lifecycle: "instant" });
  const { createJob, look } = asking(mock);

  expect((await look(await createJob({ count: 1 }))).body.result.slides).toEqual([
    { headline: "headline 1" },
  ]);
  expect(mock.requests().at(-1)?.guesses).toEqual([]);
});
