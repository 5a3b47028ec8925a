import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from "undici";
import { expect, onTestFinished, test, vi } from "vitest";
import { outcomeOf, watchedSignal } from "../helpers/outcome-of.js";
import { head, rawServer } from "../helpers/raw-server.js";

test("an attempt that is given up while its connection is opened is never sent", async () => {
  const server = await rawServer(() => {});
  const connected: (() => boolean)[] = [];
  const usual = getGlobalDispatcher();
  setGlobalDispatcher(
    new Agent().compose((dispatch) => (options, handler) => {
      connected.push(() => dispatch(options, handler));
      return true;
    }),
  );
  onTestFinished(() => setGlobalDispatcher(usual));
  const watched = watchedSignal();
  const outcome = outcomeOf("POST", { baseUrl: server.baseUrl }, undefined, watched);
  await vi.waitUntil(() => connected.length > 0);
  watched.controller.abort("enough");
  expect(await outcome).toMatchObject({ error: "enough" });
  for (const connect of connected) connect();
  await setTimeout(50);
  expect(server.seen).toEqual([]);
});

test.each([
  ["before it is answered", ""],
  ["within the body", head(201, { "content-length": 100 })],
])("an attempt that is given up %s ends its connection", async (_, sent) => {
  const closed: Promise<unknown>[] = [];
  const server = await rawServer((socket) => {
    closed.push(once(socket, "close"));
    socket.write(sent);
  });
  const watched = watchedSignal();
  const outcome = outcomeOf("POST", { baseUrl: server.baseUrl }, undefined, watched);
  await vi.waitUntil(() => closed.length > 0);
  await setTimeout(20);
  watched.controller.abort("enough");
  expect(await outcome).toMatchObject({ error: "enough" });
  await Promise.all(closed);
  expect(server.seen).toHaveLength(1);
});
