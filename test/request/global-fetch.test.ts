import { ApiError, ConnectionError } from "screenshot-sets";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { goodBody, outcomeOf } from "../helpers/outcome-of.js";
import { rawServer, reply } from "../helpers/raw-server.js";

// What Node's own `fetch` does and `undici.request` does not.

describe.each(["GET", "POST"] as const)("of a %s", (method) => {
  test("a port that fetch never calls is not tried again", async () => {
    const { error, elapsedMs } = await outcomeOf(method, { baseUrl: "http://127.0.0.1:1/api/v1" });
    expect(error.constructor).toBe(ConnectionError);
    expect(error).toMatchObject({ attempts: 1, charged: "no", message: expect.stringContaining("bad port") });
    expect(elapsedMs).toBe(0);
  });

  test("a 407, which fetch takes for a failure of the network, is a refusal", async () => {
    const server = await rawServer(reply(407));
    const { error } = await outcomeOf(method, { baseUrl: server.baseUrl });
    expect(error.constructor).toBe(ApiError);
    expect(error).toMatchObject({ status: 407, charged: "no", attempts: 1 });
    expect(server.seen).toHaveLength(1);
  });

  test("what is answered 421 is not sent once more by fetch itself", async () => {
    const server = await rawServer(reply(421));
    const { error } = await outcomeOf(method, { baseUrl: server.baseUrl });
    expect(error).toMatchObject({ status: 421, charged: "no", attempts: 1, isRetryable: false });
    expect(server.seen).toHaveLength(1);
  });

  test("an answer that is not HTTP is told in the parser's words", async () => {
    const server = await rawServer((socket) => socket.end("220 mail.example ESMTP\r\n"));
    const { error } = await outcomeOf(method, { baseUrl: server.baseUrl });
    expect(error.message).toContain("does not match the HTTP/1.1 protocol");
  });
});

test("a fetch in the place of the global one may send by a dispatcher of its own", async () => {
  const server = await rawServer(reply(201, goodBody));
  const { fetch } = globalThis;
  // Node makes its dispatcher with its first request.
  await fetch(server.baseUrl);
  const key = Symbol.for("undici.globalDispatcher.1");
  const usual = (globalThis as unknown as Record<symbol, { dispatch(...args: unknown[]): boolean }>)[key];
  const dispatch = vi.fn((...args: unknown[]) => usual?.dispatch(...args));
  vi.stubGlobal("fetch", (url: string, init: RequestInit) =>
    fetch(url, { dispatcher: { dispatch }, ...init } as object),
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  const { value } = await outcomeOf("POST", { baseUrl: server.baseUrl });
  expect(value).toEqual(goodBody);
  expect(dispatch).toHaveBeenCalledOnce();
});

/** Where Node's own fetch is that of undici 8, the tests above meet it. */
const hasUndici8 = Number.parseInt(process.versions.undici ?? "", 10) >= 8;

describe.skipIf(hasUndici8)("where fetch is that of undici 8, which tells of answers in another way", () => {
  const key = Symbol.for("undici.globalDispatcher.2");

  /** Lets the global fetch send by a dispatcher that answers so, and then fail or resolve as undici's does. */
  function stubPlatform(status: number, end: () => Promise<Response>) {
    const dispatch = (_: unknown, handler: { onResponseStart(controller: object, status: number): void }) => {
      handler.onResponseStart({}, status);
      return true;
    };
    const versions = { ...process.versions, undici: "8.0.0" };
    vi.stubGlobal("process", Object.create(process, { versions: { value: versions } }));
    vi.stubGlobal(key as never, { dispatch });
    vi.stubGlobal("fetch", (_: unknown, { dispatcher }: { dispatcher: { dispatch: typeof dispatch } }) => {
      dispatcher.dispatch({}, { onResponseStart: () => {} });
      return end();
    });
    onTestFinished(() => void vi.unstubAllGlobals());
  }

  test.each([421, 407])("a %d that fetch hides is the answer", async (status) => {
    stubPlatform(status, () => Promise.reject(new TypeError("fetch failed")));
    const { error } = await outcomeOf("POST", { baseUrl: "http://127.0.0.1/api/v1" });
    expect(error).toMatchObject({ status, charged: "no", attempts: 1 });
  });

  test("a failure after another answer is one of the network", async () => {
    stubPlatform(200, () => Promise.reject(new TypeError("fetch failed")));
    const { error } = await outcomeOf("POST", { baseUrl: "http://127.0.0.1/api/v1" });
    expect(error.constructor).toBe(ConnectionError);
    expect(error).toMatchObject({ charged: "maybe", attempts: 1 });
  });
});
