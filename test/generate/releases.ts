import type { MockOptions } from "screenshot-sets/mock";
import { expect } from "vitest";
import type { Document } from "../helpers/generated-module.js";
import { json, operationsOf, refer, text } from "./schemas.js";

/** A release of the service: what its document says then, and what users find the mock to do. */
export interface Release {
  what: string;
  edit(document: Document): void;
  /** The options of the mock. */
  mock?: MockOptions;
  use(scene: Scene): Promise<unknown>;
  found: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: the SDK of another document has other types
type Any = any;

/** The SDK of a release, with a mock and its client. */
export interface Scene {
  sdk: Any;
  mock: Any;
  client: Any;
  /** What a set of a new app needs. */
  set: { appId: string; device: string };
  /** What a call is refused with: the status and the body, or the fields that the client refuses. */
  refusal(call: Promise<unknown>): Promise<unknown>;
}

export const listing = { iosUrl: "https://apps.apple.com/app/id1" };

const answer = (schema: object) => ({ description: "", content: json(schema) });
const id = { name: "id", in: "path", required: true, schema: text };
const unauthorized = { 401: { $ref: "#/components/responses/Unauthorized" } };

/** What the mock answers for an operation that it does not play. */
const notPlayed = (name: string) => [
  501,
  { error: { code: "not_played", message: expect.stringContaining(name) } },
];

/** What a year may bring, one release at a time. */
export const releases: Release[] = [
  {
    what: "an optional field",
    edit: ({ components: { schemas } }) => {
      schemas.CreateScreenshotsRequest.properties.locale = {
        ...text,
        description: "Language of the captions.",
      };
    },
    use: async ({ mock, client, set, refusal }) => {
      await client.screenshots.create({ ...set, locale: "de" });
      return [
        mock.requests().at(-1).body.locale,
        await refusal(client.screenshots.create({ ...set, locale: 7 })),
      ];
    },
    found: ["de", ["locale"]],
  },
  {
    what: "one more device",
    edit: ({ components: { schemas } }) => schemas.Device.enum.push("vision-pro"),
    use: async ({ sdk, client, set }) => {
      const { result } = await client.screenshots.createAndWait({ ...set, device: "vision-pro" });
      return [result.device, sdk.devices.at(-1)];
    },
    found: ["vision-pro", "vision-pro"],
  },
  {
    what: "a field renamed, the old one deprecated",
    edit: ({ components: { schemas } }) => {
      const { properties } = schemas.CreateAppRequest;
      properties.context = { ...properties.extraContext };
      properties.extraContext.deprecated = true;
    },
    use: async ({ mock, client, refusal }) => {
      await client.apps.create({ ...listing, context: "new" });
      await client.apps.create({ ...listing, extraContext: "old" });
      const [former, latter] = mock.requests().slice(-2);
      const tooLong = client.apps.create({ ...listing, context: "a".repeat(2001) });
      return [former.body.context, latter.body.extraContext, await refusal(tooLong)];
    },
    found: ["new", "old", ["context"]],
  },
  {
    what: "an operation that reads an app",
    edit: ({ paths }) => {
      const responses = { 200: answer(refer("App")), ...unauthorized };
      paths["/public/v1/apps/{id}"] = { get: { operationId: "getApp", parameters: [id], responses } };
    },
    use: async ({ mock, client, set, refusal }) => {
      const read = () =>
        client.request("GET", "/public/v1/apps/{id}", { params: { path: { id: set.appId } } });
      const before = await refusal(read());
      mock.fault({ status: 200, body: set }, { operation: "getApp" });
      return [before, await read()];
    },
    found: [notPlayed("getApp"), { appId: "app_1", device: "iphone-69" }],
  },
  {
    what: "a list of jobs with a cursor, and a way to delete one",
    edit: ({ paths, components: { schemas } }) => {
      schemas.JobList = {
        type: "object",
        required: ["jobs", "next"],
        properties: { jobs: { type: "array", items: refer("Job") }, next: { type: ["string", "null"] } },
      };
      const parameters = [
        { name: "cursor", in: "query", schema: text },
        { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 100, default: 20 } },
      ];
      const responses = { 200: answer(refer("JobList")), ...unauthorized };
      paths["/public/v1/jobs"] = { get: { operationId: "listJobs", parameters, responses } };
      const deleted = { 204: { description: "It is gone." }, ...unauthorized };
      paths["/public/v1/jobs/{id}"].delete = {
        operationId: "deleteJob",
        parameters: [id],
        responses: deleted,
      };
    },
    use: async ({ mock, client, refusal }) => {
      const list = () => client.request("GET", "/public/v1/jobs", { params: { query: { limit: 5 } } });
      const remove = () =>
        client.request("DELETE", "/public/v1/jobs/{id}", { params: { path: { id: "job_1" } } });
      const before = [await refusal(list()), await refusal(remove())];
      mock.fault({ status: 200, body: { jobs: [], next: null } }, { operation: "listJobs" });
      mock.fault({ status: 204 }, { operation: "deleteJob" });
      return [...before, await list(), await remove()];
    },
    found: [notPlayed("listJobs"), notPlayed("deleteJob"), { jobs: [], next: null }, undefined],
  },
  {
    what: "a webhook and a callback",
    edit: (document) => {
      const post = { requestBody: { content: json(refer("Job")) }, responses: { 204: { description: "" } } };
      document.webhooks = { jobEnded: { post } };
      const create = document.paths["/public/v1/screenshots"].post;
      create.callbacks = { ended: { "{$request.body#/callbackUrl}": { post } } };
      document.components.schemas.CreateScreenshotsRequest.properties.callbackUrl = text;
    },
    use: async ({ mock, client, set }) => {
      const { status } = await client.screenshots.createAndWait({
        ...set,
        callbackUrl: "https://example.com",
      });
      const [{ body }] = mock.requests({ operation: "createScreenshots" });
      return [status, body.callbackUrl];
    },
    found: ["succeeded", "https://example.com"],
  },
  {
    what: "a limit of requests, told by headers",
    edit: (document) => {
      const header = { schema: { type: "integer" } };
      const headers = { "RateLimit-Limit": header, "RateLimit-Remaining": header };
      document.components.responses.TooMany = {
        description: "",
        headers: { ...headers, "Retry-After": header },
      };
      for (const { responses } of operationsOf(document)) {
        for (const [status, one] of Object.entries<Document>(responses))
          if (status < "3") one.headers = headers;
        responses[429] = { $ref: "#/components/responses/TooMany" };
      }
    },
    use: async ({ mock, client, set }) => {
      const limited = { status: 429, retryAfter: 3, headers: { "RateLimit-Remaining": "0" } };
      for (const operation of ["createScreenshots", "getJob"]) mock.fault(limited, { operation });
      const seen: unknown[] = [];
      const onResponse = ({ status, headers }: { status: number; headers: Headers }) =>
        seen.push([status, headers.get("RateLimit-Remaining")]);
      const began = mock.clock.now();
      const { status } = await client.withOptions({ onResponse }).screenshots.createAndWait(set);
      return [seen.slice(0, 3), status, Math.floor((mock.clock.now() - began) / 3_000), mock.credits.used];
    },
    found: [
      [
        [429, "0"],
        [201, null],
        [429, "0"],
      ],
      "succeeded",
      2,
      10,
    ],
  },
  {
    what: "errors that are documented",
    edit: ({ paths, components: { schemas, responses } }) => {
      schemas.Problem = { type: "object", required: ["detail"], properties: { detail: text, code: text } };
      const problem = { description: "Refused.", content: json(refer("Problem")) };
      Object.assign(responses.Unauthorized, problem);
      Object.assign(paths["/public/v1/apps"].post.responses, { 422: problem });
      Object.assign(paths["/public/v1/screenshots"].post.responses, {
        402: problem,
        404: problem,
        422: problem,
      });
      Object.assign(paths["/public/v1/jobs/{id}"].get.responses, { 404: problem });
    },
    mock: { strict: true },
    use: async ({ mock, client, set, refusal }) => {
      const calls = [
        () => client.request("POST", "/public/v1/apps", { body: {} }),
        () => client.request("POST", "/public/v1/screenshots", { body: {} }),
        () => client.screenshots.create({ ...set, appId: "app_9" }),
        () => client.jobs.get("job_9"),
        () => client.screenshots.create(set),
        () => client.withOptions({ apiKey: "another" }).jobs.get("job_9"),
      ];
      mock.credits.set(0);
      const found = [];
      for (const call of calls) found.push(await refusal(call()));
      return found;
    },
    found: [
      [422, "invalid_request"],
      [422, "invalid_request"],
      [404, "not_found"],
      [404, "not_found"],
      [402, "insufficient_credits"],
      [401, "unauthorized"],
    ].map(([status, code]) => [status, { detail: expect.any(String), code }]),
  },
  {
    what: "an idempotency key that a create may have",
    edit: ({ paths }) => {
      paths["/public/v1/screenshots"].post.parameters = [
        { name: "Idempotency-Key", in: "header", schema: text },
      ];
    },
    use: async ({ mock, client, set }) => {
      mock.fault("reset", { operation: "createScreenshots", when: "after" });
      const { jobId } = await client.screenshots.create(set);
      const { baseUrl, fetch, apiKey } = mock.clientOptions;
      const send = async (key: object) => {
        const headers = { "x-api-key": apiKey, "content-type": "application/json", ...key };
        const body = JSON.stringify({ ...set, count: 1 });
        const answer = await fetch(`${baseUrl}/public/v1/screenshots`, { method: "POST", headers, body });
        return ((await answer.json()) as { jobId: string }).jobId;
      };
      const key = { "Idempotency-Key": "mine" };
      return [jobId, await send({}), await send({}), await send(key), await send(key), mock.credits.used];
    },
    found: ["job_1", "job_2", "job_3", "job_4", "job_4", 40],
  },
  {
    what: "a higher price",
    edit: ({ paths, components: { schemas } }) => {
      schemas.Credits.properties.cost.description = "Credits charged for this job (12).";
      const { post } = paths["/public/v1/screenshots"];
      post.description = post.description.replace("10", "12");
    },
    use: async ({ sdk, mock, client, set }) => {
      const { credits } = await client.screenshots.create(set);
      return [sdk.setCost, credits, mock.credits.used];
    },
    found: [12, { cost: 12, remaining: 88 }, 12],
  },
  {
    what: "a further end of a job",
    edit: ({ components: { schemas } }) => schemas.Job.properties.status.enum.push("canceled"),
    mock: { recorded: { version: 1, set: { states: ["queued", "canceled"], error: { code: "stopped" } } } },
    use: async ({ client, set }) => {
      const { jobId } = await client.screenshots.create(set);
      const seen = [];
      for await (const { status, error } of client.watchJob(jobId)) seen.push([status, error]);
      return seen;
    },
    found: [
      ["queued", null],
      ["canceled", { code: "stopped" }],
    ],
  },
  {
    what: "OAuth2 beside the key",
    edit: (document) => {
      const flow = { tokenUrl: "https://example.com/token", scopes: { "sets:write": "Plan sets." } };
      document.components.securitySchemes.oauth = { type: "oauth2", flows: { clientCredentials: flow } };
      document.security.push({ oauth: ["sets:write"] });
    },
    use: async ({ client, set, mock }) => {
      for (const authHeader of ["authorization", "x-api-key"])
        await client.withOptions({ authHeader }).screenshots.create(set);
      const { baseUrl, fetch } = mock.clientOptions;
      const answer = await fetch(`${baseUrl}/public/v1/jobs/job_1`);
      return [mock.credits.used, answer.status, await answer.text()];
    },
    found: [20, 401, expect.stringMatching(/Authorization.*x-api-key/)],
  },
  {
    what: "another version of the address",
    edit: (document) => {
      document.servers = [{ url: "https://api.example.com/api/v2" }];
    },
    use: async ({ sdk, mock }) => {
      const { baseUrl } = mock.clientOptions;
      const client = new sdk.ScreenshotSets(mock.clientOptions);
      const { message } = await client.jobs.get("job_9").catch((error: Error) => error);
      return [baseUrl, message];
    },
    found: ["https://api.screenshot-sets.test/api/v2", expect.not.stringContaining("base URL")],
  },
];

/** Makes the document that of a service after all of them. */
export function releaseAll(document: Document): void {
  for (const { edit } of releases) edit(document);
}
