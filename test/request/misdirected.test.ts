import { ConnectionError } from "screenshot-sets";
import { getGlobalDispatcher, MockAgent, setGlobalDispatcher } from "undici";
import { afterEach, expect, test, vi } from "vitest";
import { goodBody, outcomeOf } from "../helpers/outcome-of.js";
import { head, rawServer } from "../helpers/raw-server.js";

const dispatcher = getGlobalDispatcher();
afterEach(() => setGlobalDispatcher(dispatcher));

test("a create answered 421 goes out once, though Node's fetch would send it again", async () => {
  const good = JSON.stringify(goodBody);
  const server = await rawServer((socket, _, index) => {
    // The second comes on the connection that was kept.
    const status = index === 0 ? 200 : 421;
    socket.write(head(status, { connection: "keep-alive", "content-length": good.length }) + good);
  });
  await outcomeOf("POST", { baseUrl: server.baseUrl });
  for (const sent of [2, 3]) {
    const { error } = await outcomeOf("POST", { baseUrl: server.baseUrl });
    expect(error.constructor).toBe(ConnectionError);
    expect(error).toMatchObject({ attempts: 1, charged: "maybe" });
    expect(server.seen).toHaveLength(sent);
  }
});

test("a create goes to undici's mock where the process has set one", async () => {
  const agent = new MockAgent();
  agent.disableNetConnect();
  let body: unknown;
  agent
    .get("https://example.com")
    .intercept({ method: "POST", path: "/api/v1/public/v1/screenshots" })
    .reply(201, (request) => {
      body = request.body;
      return goodBody;
    });
  setGlobalDispatcher(agent);
  const { value } = await outcomeOf("POST", { baseUrl: "https://example.com/api/v1" });
  expect(value).toEqual(goodBody);
  expect(JSON.parse(String(body))).toMatchObject({ appId: "app-1" });
});

test("a create is sent once, and as it is, where the platform has no dispatcher of undici's", async () => {
  for (const version of [1, 2]) {
    Object.assign(globalThis, { [Symbol.for(`undici.globalDispatcher.${version}`)]: undefined });
  }
  const fetch = vi.fn(async (_: unknown, init?: RequestInit) => Response.json(Object(init)));
  vi.stubGlobal("fetch", fetch);
  await outcomeOf("POST", { baseUrl: "https://example.com/api/v1" });
  expect(fetch).toHaveBeenCalledOnce();
  expect(fetch.mock.calls[0]?.[1]).not.toHaveProperty("dispatcher");
});
