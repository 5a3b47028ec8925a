import { setTimeout } from "node:timers/promises";
import { ApiError, ConnectionError } from "screenshot-sets";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { platformFetch } from "../../src/request/platform-fetch.js";
import { goodBody, outcomeOf, watchedSignal } from "../helpers/outcome-of.js";
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

const redirects = [301, 302, 303, 307, 308];

test.each([...redirects, 407, 421])("a %d keeps its headers and its body", async (status) => {
  const server = await rawServer(reply(status, { message: "elsewhere" }, { location: "/elsewhere" }));
  const { error } = await outcomeOf("POST", { baseUrl: server.baseUrl });
  expect(error).toMatchObject({ status, body: { message: "elsewhere" } });
  expect(error.headers.get("location")).toBe("/elsewhere");
});

/** A wrapper of the global `fetch` as frameworks have it: it copies the options that it knows. */
function copyOptions(seen: RequestInit[] = []) {
  const { fetch } = globalThis;
  vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
    seen.push(init);
    return fetch(url, { ...init });
  });
}

test.each(redirects)("a %d is told as one through a wrapper of fetch", async (status) => {
  const server = await rawServer(reply(status, "moved", { location: "/elsewhere" }));
  copyOptions();
  const { error } = await outcomeOf("POST", { baseUrl: server.baseUrl });
  expect(error).toMatchObject({ name: "InvalidResponseError", status, charged: "maybe" });
  expect(server.seen).toHaveLength(1);
});

test("a wrapper of fetch is given only options of the standard, and follows no redirect", async () => {
  const server = await rawServer(reply(201, goodBody));
  const seen: RequestInit[] = [];
  copyOptions(seen);
  await outcomeOf("POST", { baseUrl: server.baseUrl });
  expect(seen.map((init) => Object.keys(init))).toEqual([
    ["method", "headers", "redirect", "signal", "cache", "body"],
  ]);
  expect(seen).toMatchObject([{ redirect: "manual" }]);
});

test("a wrapper of fetch that asks again with the same options sends nothing twice", async () => {
  const server = await rawServer((socket) => socket.resetAndDestroy());
  const { fetch } = globalThis;
  const again = vi.fn((url: string, init: RequestInit) => fetch(url, init));
  vi.stubGlobal("fetch", (url: string, init: RequestInit) => fetch(url, init).catch(() => again(url, init)));
  const { error } = await outcomeOf("POST", { baseUrl: server.baseUrl });
  expect(error).toMatchObject({ name: "ConnectionError", charged: "maybe" });
  expect(again).toHaveBeenCalledOnce();
  expect(server.seen).toHaveLength(1);
});

test("Node's fetch does not copy the body that it sends", async () => {
  const server = await rawServer(reply(201, goodBody));
  const tee = vi.spyOn(ReadableStream.prototype, "tee");
  await outcomeOf("POST", { baseUrl: server.baseUrl });
  expect(tee).not.toHaveBeenCalled();
});

test("an attempt that is given up before it is begun opens no connection", async () => {
  const server = await rawServer(() => {});
  const sent = platformFetch(server.baseUrl, { signal: AbortSignal.abort("enough") });
  await expect(sent).rejects.toBe("enough");
  expect(server.connections).toBe(0);
});

/** Where Node's own fetch is that of undici 8, the tests above meet it. */
const hasUndici8 = Number.parseInt(process.versions.undici ?? "", 10) >= 8;

describe.skipIf(hasUndici8)(
  "where fetch is that of undici 8, which is told of answers in another way,",
  () => {
    type Controller = { abort(reason: Error): void };
    type Handler = {
      onRequestStart(controller: Controller): void;
      onResponseStart(controller: Controller, status: number): void;
    };

    let outcomeThere: typeof outcomeOf;
    beforeAll(async () => {
      const versions = { ...process.versions, undici: "8.0.0" };
      vi.stubGlobal("process", Object.create(process, { versions: { value: versions } }));
      vi.resetModules();
      ({ outcomeOf: outcomeThere } = await import("../helpers/outcome-of.js"));
    });

    /** Lets the client send by such a `fetch`, which is told of this. */
    function stubPlatform(tell: (handler: Handler) => void) {
      const dispatch = (_: unknown, handler: Handler) => tell(handler);
      // Assigned, as undici itself defines it so that nothing else can.
      const [globals, key] = [globalThis as Record<symbol, unknown>, Symbol.for("undici.globalDispatcher.2")];
      const { [key]: usual } = globals;
      globals[key] = { dispatch };
      onTestFinished(() => {
        globals[key] = usual;
      });
      const told = vi.fn();
      const fetch = (_: unknown, { dispatcher }: { dispatcher: { dispatch: typeof dispatch } }) =>
        new Promise<Response>((resolve) => {
          // What tells Node's own from others: "internal/deps/undici".
          told("internal/deps/undici");
          dispatcher.dispatch(undefined, {
            onRequestStart: () => {},
            onResponseStart: (_, status) => {
              told(status);
              resolve(Response.json({ message: "told" }, { status }));
            },
          });
        });
      vi.stubGlobal("fetch", fetch);
      return told;
    }

    test.each([...redirects, 407, 421, 503])("a %d is told", async (status) => {
      const told = stubPlatform((handler) => handler.onResponseStart({ abort: () => {} }, status));
      const { error } = await outcomeThere("POST", { baseUrl: "http://127.0.0.1/api/v1" });
      const isRefusal = status === 407 || status === 421;
      expect(error).toMatchObject({ status, body: { message: "told" }, charged: isRefusal ? "no" : "maybe" });
      if (isRefusal) expect(error).toMatchObject({ attempts: 1 });
      expect(told).toHaveBeenLastCalledWith(status === 503 ? 503 : 400);
    });

    test("a failure is one of the network", async () => {
      stubPlatform(() => {
        throw new TypeError("fetch failed");
      });
      const { error } = await outcomeThere("POST", { baseUrl: "http://127.0.0.1/api/v1" });
      expect(error).toMatchObject({ name: "ConnectionError", charged: "maybe", attempts: 1 });
    });

    test("an attempt that is given up is stopped", async () => {
      const abort = vi.fn();
      stubPlatform((handler) => handler.onRequestStart({ abort }));
      const watched = watchedSignal();
      const outcome = outcomeThere("POST", { baseUrl: "http://127.0.0.1/api/v1" }, undefined, watched);
      await setTimeout(20);
      expect(abort).not.toHaveBeenCalled();
      watched.controller.abort("enough");
      expect(await outcome).toMatchObject({ error: "enough" });
      expect(abort).toHaveBeenCalledOnce();
    });
  },
);
