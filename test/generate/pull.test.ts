import { readFileSync } from "node:fs";
import { createServer, type OutgoingHttpHeaders, type RequestListener } from "node:http";
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { createMock } from "screenshot-sets/mock";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { changed } from "../helpers/generated-module.js";
import { listening } from "../helpers/raw-server.js";
import { workingCopy } from "./working-copy.js";

const copy = workingCopy(afterAll);
const before = copy.files();
const document = copy.read("openapi.json");

interface Asked {
  /** Where the server is, as a base URL. */
  url: string;
  /** What it was asked for. */
  requests: { method?: string | undefined; url?: string | undefined; authorization?: string | undefined }[];
}

async function serve(answer: RequestListener): Promise<Asked> {
  const requests: Asked["requests"] = [];
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    requests.push({ method, url, authorization: headers.authorization });
    answer(request, response);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${await listening(server)}/api/v1`, requests };
}

const json = { "content-type": "application/json" };
const fiftyMegabytes = Buffer.alloc(50 * 1024 * 1024, " ");

test("takes the document of a mock that listens, and then finds nothing to change", async () => {
  const listening = await createMock().listen();
  onTestFinished(() => listening.close());
  const own = workingCopy();
  expect(await own.run(["--from", listening.url])).toMatchObject({ exitCode: 0, err: [] });
  expect(JSON.parse(own.read("openapi.json"))).toEqual(
    JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8")),
  );
  const taken = own.files();
  expect(await own.run(["--from", `${listening.url}/`])).toMatchObject({ exitCode: 0, err: [] });
  expect(own.files()).toEqual(taken);
});

const answering =
  (status: number, headers: OutgoingHttpHeaders = {}, body: string | Buffer = "{}"): RequestListener =>
  (_, response) =>
    response.writeHead(status, headers).end(body);

/** A service whose document is refused right away, for tests of what is asked of it. */
const serveNothing = () => serve(answering(200, json));
const notOpenApi = { exitCode: 2, err: [expect.stringMatching(/^not-openapi: /)] };

test("asks once, for the document below the base URL, or for the one that it is led to", async () => {
  const { url, requests } = await serveNothing();
  const { origin } = new URL(url);
  const others = [`${url}/other.json`, `${origin}/documents/latest?format=json`, origin, `${origin}/`];
  for (const from of [url, `${url}/public/openapi.json?at=now`, ...others]) {
    expect(await copy.run(["--from", from])).toMatchObject(notOpenApi);
  }
  expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "GET /api/v1/public/openapi.json",
    "GET /api/v1/public/openapi.json?at=now",
    "GET /api/v1/other.json",
    "GET /documents/latest?format=json",
    "GET /public/openapi.json",
    "GET /public/openapi.json",
  ]);
});

test("takes a document without a type, compressed, with a byte-order mark", async () => {
  const packed = gzipSync(`\ufeff${document}`);
  const { url } = await serve(answering(200, { "content-encoding": "gzip" }, packed));
  expect(await copy.run(["--from", url])).toMatchObject({ exitCode: 0, err: [] });
});

test("sends the key of the environment to the service that it belongs to, and to no other", async () => {
  const { url, requests } = await serveNothing();
  const key = { SCREENSHOT_SETS_API_KEY: "secret" };
  const published = `${url}/published.json`;
  const sent = "Bearer secret";
  const cases: [from: string, environment: Record<string, string>, authorization?: string][] = [
    [url, {}],
    [url, key, sent],
    [url, { ...key, SCREENSHOT_SETS_BASE_URL: `${url}/` }, sent],
    [url, { ...key, SCREENSHOT_SETS_BASE_URL: "https://elsewhere.test/api/v1" }],
    [url, { ...key, SCREENSHOT_SETS_BASE_URL: "no URL" }],
    [published, key],
    [published, { ...key, SCREENSHOT_SETS_BASE_URL: url }, sent],
  ];
  for (const [from, environment] of cases) {
    expect(await copy.run(["--from", from], { environment })).toMatchObject(notOpenApi);
  }
  expect(requests.map(({ authorization }) => authorization)).toEqual(cases.map(([, , expected]) => expected));
});

/** Begins an answer with part of the document, and then does something else than to send the rest. */
const beginning =
  (headers: OutgoingHttpHeaders, then: (socket: Socket) => void = () => {}): RequestListener =>
  (request, response) =>
    response
      .writeHead(200, { ...json, ...headers })
      .write(document.slice(0, 100), () => then(request.socket));

/** Answers that are refused, by the code of the refusal. They are made when they are asked for. */
const bad: [what: string, code: string, exitCode: number, answer: () => RequestListener][] = [
  ["a page of HTML", "not-json", 2, () => answering(200, { "content-type": "text/html" }, "<p>")],
  ["an empty answer", "not-json", 2, () => answering(200, json, "")],
  ["the document as it was", "http-status", 3, () => answering(304)],
  ["a missing document", "http-status", 3, () => answering(404, json, document)],
  ["a service that answers with nothing", "too-slow", 3, () => () => {}],
  ["a service that stops in mid-document", "too-slow", 3, () => beginning({})],
  [
    "an answer that breaks off",
    "broken-off",
    3,
    () => beginning({ "content-length": document.length }, (socket) => socket.destroy()),
  ],
  ["a connection that breaks off", "unreachable", 3, () => (request) => request.socket.destroy()],
  ["an announcement of 50 MB", "too-large", 2, () => beginning({ "content-length": fiftyMegabytes.length })],
  [
    "50 MB in 50 kB",
    "too-large",
    2,
    () => answering(200, { "content-encoding": "gzip" }, gzipSync(fiftyMegabytes)),
  ],
];

test.each(bad)(
  "refuses %s (%s) and changes nothing",
  async (_, code, exitCode, answer) => {
    const { url, requests } = await serve(answer());
    const run = await copy.run(["--from", url], { timeoutMs: code === "too-slow" ? 1_000 : 60_000 });
    expect(run).toEqual({
      exitCode,
      out: [],
      err: [expect.stringMatching(`^${code}: Failed to [^\\n]+\\.$`)],
    });
    expect(requests).toHaveLength(1);
    expect(copy.files()).toEqual(before);
  },
  60_000,
);

test("says where the key is when the service refuses it", async () => {
  const { url } = await serve((_, response) => response.writeHead(401).end());
  expect((await copy.run(["--from", url])).err).toEqual([expect.stringContaining("SCREENSHOT_SETS_API_KEY")]);
});

test.each([302, 307])("follows no redirect (%d), least of all with the key", async (status) => {
  const elsewhere = await serve(answering(200, json, document));
  const { url } = await serve(answering(status, { location: `${elsewhere.url}/public/openapi.json` }));
  const run = await copy.run(["--from", url], { environment: { SCREENSHOT_SETS_API_KEY: "secret" } });
  expect(run).toEqual({ exitCode: 2, out: [], err: [expect.stringMatching(/^redirect: /)] });
  expect(elsewhere.requests).toEqual([]);
  expect(copy.files()).toEqual(before);
});

test("asks no other server for an example, which is data", async () => {
  const elsewhere = await serveNothing();
  const to = `${elsewhere.url}/credits.json`;
  const referring = changed(({ components: { schemas, ...others }, paths }) => {
    schemas.AcceptedJob.example = { credits: { $ref: to } };
    others.examples = { app: { externalValue: to } };
    paths["/public/v1/apps"].post.requestBody.content["application/json"].examples = others.examples;
  });
  const own = workingCopy();
  own.write("openapi.json", JSON.stringify(referring));
  expect(await own.run(["--check"])).toMatchObject({ exitCode: 1 });
  expect(elsewhere.requests).toEqual([]);
});

test.each([
  ["http://example.com/api/v1", "insecure-url"],
  ["http://127.0.0.1.example.com/api/v1", "insecure-url"],
  ["https://user:secret@example.com/api/v1", "bad-url"],
  ["https://example.com/api/v1#secret", "bad-url"],
  ["ftp://example.com/secret.json", "bad-url"],
  ["https://", "bad-url"],
  ["no-such-file.json", "unreadable-file"],
  ["/dev/zero", "unreadable-file"],
])("asks nothing of %s (%s)", async (from, code) => {
  const run = await copy.run(["--from", from]);
  expect(run).toEqual({ exitCode: 2, out: [], err: [expect.stringMatching(`^${code}: `)] });
  expect(run.err[0]).not.toContain("secret");
});

test("refuses a key that no header can hold without repeating it", async () => {
  const { url, requests } = await serveNothing();
  const run = await copy.run(["--from", url], { environment: { SCREENSHOT_SETS_API_KEY: "sec\nret" } });
  expect(run).toMatchObject({ exitCode: 2, err: [expect.stringMatching(/^bad-key: /)] });
  expect(run.err[0]).not.toMatch(/sec|ret\b/);
  expect(requests).toEqual([]);
});

test.each([[["--from"]], [["--form", "x"]], [["--check", "--from", "openapi.json"]], [["openapi.json"]]])(
  "refuses the command line %j",
  async (commandLine) => {
    expect(await copy.run(commandLine)).toEqual({
      exitCode: 2,
      out: [],
      err: [expect.stringMatching(/^usage: /)],
    });
  },
);
