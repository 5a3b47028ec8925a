import { once } from "node:events";
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import { createMock, type ListenOptions, type MockOptions } from "screenshot-sets/mock";
import { expect, onTestFinished } from "vitest";
import * as z from "zod";
import { asking } from "../ask.js";

interface Ask {
  /** Sent as JSON, unless it is a text. */
  body?: unknown;
  headers?: OutgoingHttpHeaders;
}

/** A mock with its page, and its control API asked as a program asks it; each answer is held against the document. */
export async function servedPage(options?: MockOptions, listenOptions?: ListenOptions) {
  const mock = createMock(options);
  const listener = await mock.listen({ page: true, ...listenOptions });
  onTestFinished(() => listener.close());
  const { url, pageUrl = "" } = listener;
  const { hostname, port, host } = new URL(url);
  let document: OpenApi | undefined;

  /** Sends headers that `fetch` would not. */
  async function send(method: string, target: string, headers: OutgoingHttpHeaders = {}, text?: string) {
    const request = httpRequest({ hostname, port, method, path: target, headers: { host, ...headers } });
    request.end(text);
    const [response] = (await once(request, "response")) as [IncomingMessage];
    let answered = "";
    for await (const chunk of response) answered += chunk;
    return { status: response.statusCode ?? 0, headers: response.headers, text: answered };
  }

  async function ask(method: string, path: string, { body, headers }: Ask = {}) {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const json = method !== "GET" && { "content-type": "application/json" };
    const response = await send(method, `/_mock/${path}`, { ...json, ...headers }, text);
    const answered = response.text === "" ? undefined : JSON.parse(response.text);
    document ??= JSON.parse((await send("GET", "/_mock/openapi.json")).text) as OpenApi;
    checkAnswer(document, method, path, response.status, answered);
    return { status: response.status, body: answered, headers: response.headers };
  }

  const state = async () => (await ask("GET", "state")).body;
  const clientOptions = { ...mock.clientOptions, baseUrl: url, fetch: globalThis.fetch };
  const client = asking({ ...mock, clientOptions });
  return { ...client, call: client.send, mock, listener, url, pageUrl, host, send, ask, state };
}

interface OpenApi {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
  components: { schemas: Record<string, object> };
}

interface Response {
  content?: { "application/json": { schema: { $ref: string } } };
}

/** Fails unless the document has such an answer of such an operation. What is no operation is refused. */
function checkAnswer(
  { paths, components }: OpenApi,
  method: string,
  path: string,
  status: number,
  body: unknown,
) {
  const address = `/_mock/${path.split("?")[0]}`;
  const patterns = Object.keys(paths);
  const pattern =
    patterns.find((one) => new RegExp(`^${one.replace(/{.+?}/g, "[^/]+")}$`).test(address)) ?? "";
  const { responses = {} } = paths[pattern]?.[method.toLowerCase()] ?? {};
  if (status < 400) expect(Object.keys(responses)).toContain(String(status));
  const answered = responses[status]?.content?.["application/json"].schema.$ref ?? "";
  const name = status < 400 ? answered.split("/").at(-1) : "Refusal";
  const schema = name ? z.fromJSONSchema(components.schemas[name] as never) : z.undefined();
  expect(schema.safeParse(body).error).toBeUndefined();
}
