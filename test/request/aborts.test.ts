import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { goodBody, outcomeOf, watchedSignal } from "../helpers/outcome-of.js";
import { type Answer, head, rawServer, reply } from "../helpers/raw-server.js";
import { RequestClock } from "../helpers/request-clock.js";

const good = JSON.stringify(goodBody);
const half = head(200, { "content-length": good.length }) + good.slice(0, 20);

/** What the server has done when the caller aborts. */
const moments: [moment: string, answer: Answer][] = [
  ["before an answer", () => {}],
  ["within the body", (socket) => socket.write(half)],
  ["within the body of a refusal", (socket) => socket.write(`${head(429, { "content-length": 9 })}half`)],
];

/** An abort rejects with whatever the caller gave it. */
const reasons = [new Error("The user left"), "a word", null, 0, { any: "object" }];

describe.each(["GET", "POST"] as const)("an abort of a %s", (method) => {
  test.each(reasons)("rejects with its reason, beforehand without a request: %o", async (reason) => {
    const watched = watchedSignal();
    const server = await rawServer(() => watched.controller.abort(reason));
    let asked = 0;
    const options = { baseUrl: server.baseUrl, apiKey: () => `key-${++asked}` };
    for (let call = 0; call < 2; call++) {
      const { error } = await outcomeOf(method, options, new RequestClock(), watched);
      expect(error).toBe(reason);
      expect([asked, server.seen.length]).toEqual([1, 1]);
    }
  });

  test.each(moments)("%s rejects with its reason and closes the connection", async (_, answer) => {
    const watched = watchedSignal();
    const reason = new Error("The user left");
    let isOpen = true;
    const server = await rawServer(async (socket, seen, index) => {
      socket.on("close", () => (isOpen = false));
      answer(socket, seen, index);
      await delay(10);
      watched.controller.abort(reason);
    });
    const options = { baseUrl: server.baseUrl };
    const { error, elapsedMs } = await outcomeOf(method, options, new RequestClock(), watched);
    expect(error).toBe(reason);
    await expect.poll(() => isOpen).toBe(false);
    expect(server.seen).toHaveLength(1);
    expect(elapsedMs).toBe(0);
  });

  test.each([429, 401])("by the logger after a %d sends nothing more", async (status) => {
    const watched = watchedSignal();
    const server = await rawServer(reply(status));
    const logger = { debug() {}, warn() {}, error() {}, info: () => watched.controller.abort("enough") };
    let asked = 0;
    const options = { baseUrl: server.baseUrl, logger, apiKey: () => `key-${++asked}` };
    const { error } = await outcomeOf(method, options, new RequestClock(), watched);
    expect(error).toBe("enough");
    expect(server.seen).toHaveLength(1);
  });
});
