import path from "node:path";
import * as today from "screenshot-sets";
import type { RecordedSet } from "screenshot-sets/mock";
import { expect, onTestFinished, test, vi } from "vitest";
import { classify } from "../../scripts/classify/classify.js";
import { parseDocument } from "../../scripts/vet/parse-document.js";
import { changed, type Document, exampleDocument, generate, load } from "../helpers/generated-module.js";
import { listing, releaseAll, releases } from "./releases.js";
import { sdkOf } from "./sdk-of.js";
import { workingCopy } from "./working-copy.js";

const parse = (document: unknown) => parseDocument(JSON.stringify(document));

/** What a call is refused with: the status and the body, or the fields that the client refuses. */
const refusal = (call: Promise<unknown>) =>
  call.catch(({ status, body, issues }) =>
    status ? [status, body] : issues.map(({ path }: Document) => path),
  );

test.each(releases)("after a release with $what, the mock does as its document says", async (release) => {
  const network = vi.spyOn(globalThis, "fetch");
  const sdk = await sdkOf(await load(changed(release.edit)));
  const mock = sdk.createMock(release.mock);
  const warn = vi.fn();
  const logger = { debug() {}, info() {}, warn, error: warn };
  const client = new sdk.ScreenshotSets({ ...mock.clientOptions, logger });
  const { appId } = await client.apps.create(listing);

  const set = { appId, device: "iphone-69" };
  expect(await release.use({ sdk, mock, client, set, refusal })).toEqual(release.found);
  expect([warn.mock.calls, network.mock.calls]).toEqual([[], []]);
});

/** How a job goes, and how a wait for it ends. */
const ends: [set: RecordedSet, end: string][] = [
  [{ states: ["queued", "running", "succeeded"] }, "resolves: succeeded after 3 polls"],
  [{ states: ["queued", "failed"], error: { code: "unreadable" } }, "JobFailedError: failed after 2 polls"],
  [{ states: ["queued", "canceled"], error: { code: "stopped" } }, "JobFailedError: canceled after 2 polls"],
  [{ states: ["queued", "canceled"], slides: [{}] }, "resolves: canceled after 2 polls"],
  [{ states: ["canceled", "succeeded"] }, "resolves: succeeded after 2 polls"],
];

test("after all of these releases, a wait ends as its job does, also that of an older SDK", async () => {
  const sdk = await sdkOf(await load(changed(releaseAll)));
  const seen = [];
  for (const [set] of ends) {
    for (const { ScreenshotSets } of [sdk, today]) {
      const mock = sdk.createMock({ recorded: { version: 1, set } });
      const client = new ScreenshotSets(mock.clientOptions);
      const { appId } = await client.apps.create(listing);
      const wait = client.screenshots.createAndWait({ appId, device: "iphone-69" });
      const [end, { status }] = await wait.then(
        (job) => ["resolves", job],
        ({ name, job }) => [name, job],
      );
      const polls = mock.requests({ operation: "getJob" }).length;
      seen.push(`${end}: ${status} after ${polls} polls`);
    }
  }
  expect(seen).toEqual(ends.flatMap(([, end]) => [end, end]));
});

test("the mock's server is at the path of the service by its document", async () => {
  const copy = workingCopy();
  const document = changed((own) => (own.servers = [{ url: "https://api.example.com/api/v2" }]));
  for (const [name, code] of await generate(document)) copy.write(`src/generated/${name}`, code);

  const { createMock } = await import(path.join(copy.root, "src/mock/index.ts"));
  const { url, close } = await createMock().listen();
  onTestFinished(close);

  expect(new URL(url).pathname).toBe("/api/v2");
  expect(await fetch(`${url}/public/openapi.json`)).toMatchObject({ status: 200 });
});

/** The document with 280 further operations, of which each is changed. */
const grown = (change: (operation: Document, document: Document) => void) =>
  changed((document) => {
    const { paths, components } = document;
    components.schemas.Page = { type: "object", properties: { size: { type: "integer" } } };
    const content = { "application/json": { schema: { $ref: "#/components/schemas/Page" } } };
    for (let index = 0; index < 280; index++) {
      paths[`/public/v1/things/${index}`] = { get: { responses: { 200: { description: "", content } } } };
    }
    for (const item of Object.values<Document>(paths)) {
      for (const operation of Object.values<Document>(item)) change(operation, document);
    }
  });

test("one change is one sentence, however many operations have it", () => {
  const sentencesOf = (before: Document, after: Document) =>
    classify(parse(before), parse(after)).changes.map(({ words }) => words);
  const former = grown(() => {});
  const later = grown((operation, { components: { schemas } }) => {
    schemas.Page.properties.total = { type: "integer" };
    operation.parameters = [...(operation.parameters ?? []), { name: "trace", in: "query", schema: {} }];
    operation.deprecated = true;
    operation.responses[429] = { description: "", headers: { "Retry-After": { schema: {} } } };
    operation.responses[500] = { description: "" };
  });
  const first = 'each of 280 operations (such as `client.request("GET", "/public/v1/things/0")`)';
  expect(sentencesOf(exampleDocument(), former)).toEqual([`${first} is typed`]);
  expect(sentencesOf(former, later)).toEqual([
    'each of 283 operations (such as `client.request("POST", "/public/v1/apps")`) takes the query parameter `trace`',
    "the document describes the answers 429 and 500 of every operation",
    "answers of every operation may have the header `Retry-After`",
    `the answer of ${first} has \`total\``,
    "every operation is deprecated",
  ]);
});
