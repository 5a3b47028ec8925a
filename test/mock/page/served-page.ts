import { once } from "node:events";
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import { createMock, type ListenOptions, type MockOptions } from "screenshot-sets/mock";
import { expect, onTestFinished } from "vitest";
import * as z from "zod";
import { asking } from "../ask.js";

interface Ask {
  body?: unknown;
  headers?: OutgoingHttpHeaders;
  /** The target as it is sent, where it is not the address below `/_mock/`. */
  target?: string;
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

  async function ask(method: string, path: string, { body, headers, target = `/_mock/${path}` }: Ask = {}) {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const length = text === undefined ? {} : { "content-length": Buffer.byteLength(text) };
    const json = { "content-type": "application/json", ...length };
    const response = await send(method, target, { ...(method !== "GET" && json), ...headers }, text);
    const answered = response.text === "" ? undefined : JSON.parse(response.text);
    document ??= JSON.parse((await send("GET", "/_mock/openapi.json")).text) as OpenApi;
    checkAnswer(document, method, path, response.status, answered);
    return { status: response.status, body: answered, headers: response.headers };
  }

  const service = {
    ...mock,
    clientOptions: { ...mock.clientOptions, baseUrl: url, fetch: globalThis.fetch },
  };
  const { send: call, createApp, createSet, createJob, look } = asking(service);
  return {
    mock,
    listener,
    url,
    pageUrl,
    host,
    send,
    ask,
    state: async () => (await ask("GET", "state")).body,
    ...{ call, createApp, createSet, createJob, look },
  };
}

interface OpenApi {
  paths: Record<
    string,
    Record<
      string,
      { responses: Record<string, { content?: { [type: string]: { schema: { $ref: string } } } }> }
    >
  >;
  components: { schemas: Record<string, object> };
}

const schemas = new Map<string, z.ZodType>();

/** Fails unless the document has such an answer of such an operation. */
function checkAnswer(document: OpenApi, method: string, path: string, status: number, body: unknown): void {
  const address = `/_mock/${path.split("?")[0]}`;
  const described = Object.entries(document.paths).find(([pattern]) =>
    new RegExp(`^${pattern.replace(/\{\w+\}/g, "[^/]+")}$`).test(address),
  )?.[1][method.toLowerCase()];
  // What is no operation is refused.
  const response = described?.responses[status] ?? described?.responses.default;
  const { $ref } = response?.content?.["application/json"]?.schema ?? {
    $ref: described ? "" : "#/components/schemas/Refusal",
  };
  if (status < 300) expect(Object.keys(described?.responses ?? {})).toContain(String(status));
  if ($ref === "") {
    expect(body).toBeUndefined();
    return;
  }
  const name = $ref.split("/").at(-1) ?? "";
  const schema = schemas.get(name) ?? z.fromJSONSchema(document.components.schemas[name] as never);
  schemas.set(name, schema);
  expect(schema.safeParse(body).error).toBeUndefined();
}
