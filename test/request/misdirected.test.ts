import { ConnectionError } from "screenshot-sets";
import { Agent, getGlobalDispatcher, MockAgent, setGlobalDispatcher } from "undici";
import { afterEach, expect, test } from "vitest";
import { goodBody, outcomeOf } from "../helpers/outcome-of.js";
import { head, rawServer, reply } from "../helpers/raw-server.js";

const dispatcher = getGlobalDispatcher();
afterEach(() => setGlobalDispatcher(dispatcher));

test("a create answered 421 goes out once, though Node's fetch would send it again", async () => {
  const server = await rawServer(reply(421, { message: "wrong host" }));
  const { error } = await outcomeOf("POST", { baseUrl: server.baseUrl });
  expect(error.constructor).toBe(ConnectionError);
  expect(error).toMatchObject({ attempts: 1, charged: "maybe" });
  expect(server.seen).toHaveLength(1);
});

test("a create answered 421 on a connection that was kept goes out once", async () => {
  const good = JSON.stringify(goodBody);
  const server = await rawServer((socket, _, index) => {
    const status = index === 0 ? 200 : 421;
    socket.write(head(status, { connection: "keep-alive", "content-length": good.length }) + good);
  });
  await outcomeOf("POST", { baseUrl: server.baseUrl });
  const { error } = await outcomeOf("POST", { baseUrl: server.baseUrl });
  expect(error).toMatchObject({ attempts: 1, charged: "maybe" });
  expect(server.seen).toHaveLength(2);
});

test("creates that are under way together do not disturb each other", async () => {
  const server = await rawServer((socket, seen, index) =>
    (index % 2 === 0 ? reply(421) : reply(201, goodBody))(socket, seen, index),
  );
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, () => outcomeOf("POST", { baseUrl: server.baseUrl })),
  );
  expect(outcomes.filter(({ error }) => error?.charged === "maybe")).toHaveLength(5);
  expect(outcomes.filter(({ value }) => value !== undefined)).toHaveLength(5);
  expect(server.seen).toHaveLength(10);
});

test("a create goes through the dispatcher that the process has set", async () => {
  const server = await rawServer(reply(201, goodBody));
  let dispatched = 0;
  const counting = new Agent().compose((dispatch) => (options, handler) => {
    dispatched++;
    return dispatch(options, handler);
  });
  setGlobalDispatcher(counting);
  const { value } = await outcomeOf("POST", { baseUrl: server.baseUrl });
  expect([value, dispatched]).toEqual([goodBody, 1]);
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
