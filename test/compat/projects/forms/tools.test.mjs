import assert from "node:assert/strict";
import { test } from "node:test";
import { InMemoryTransport } from "@modelcontextprotocol/server";
import { asSchema } from "ai";
import { devices } from "screenshot-sets";
import { client, mock } from "./out/client.js";
import { planSet, server } from "./out/tools.js";

const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
const set = { appId, device: devices[0], count: 3 };
const planned = () => mock.requests({ operation: "createScreenshots" }).map(({ body }) => body);

test("a tool of the AI SDK shows a model the document's fields, and plans a set", async () => {
  const { properties } = await asSchema(planSet.inputSchema).jsonSchema;
  assert.deepEqual(properties.device.enum, [...devices]);
  assert.match(properties.count.description, /slides/);
  const { jobId } = await planSet.execute(set, { toolCallId: "1", messages: [] });
  assert.match(jobId, /^job_/);
  assert.deepEqual(planned().at(-1), set);
});

test("a tool of an MCP server is listed, refuses what the document does, and plans a set", async () => {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const answers = new Map();
  let arrived = () => {};
  theirs.onmessage = (message) => {
    answers.set(message.id, message);
    arrived();
  };
  await theirs.start();
  await server.connect(ours);
  const ask = async (id, method, params = {}) => {
    await theirs.send({ jsonrpc: "2.0", id, method, params });
    while (!answers.has(id))
      await new Promise((resolve) => {
        arrived = resolve;
      });
    return answers.get(id).result;
  };
  const clientInfo = { name: "test", version: "1" };
  await ask(1, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });

  const { tools } = await ask(2, "tools/list");
  assert.deepEqual(tools[0].inputSchema.properties.device.enum, [...devices]);
  const call = (id, params) => ask(id, "tools/call", { name: "plan-set", arguments: params });
  const before = planned().length;
  const refused = await call(3, { ...set, device: "iphone-1" });
  assert.equal(refused.isError, true);
  assert.equal(planned().length, before);
  const { content } = await call(4, set);
  assert.match(JSON.parse(content[0].text).jobId, /^job_/);
  assert.deepEqual(planned().at(-1), set);
});
