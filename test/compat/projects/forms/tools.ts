import { dereference } from "@apidevtools/json-schema-ref-parser";
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { jsonSchema, tool } from "ai";
import type { CreateScreenshotsParams } from "screenshot-sets";
import document from "screenshot-sets/openapi.json" with { type: "json" };
import { client } from "./client.js";

// As in docs/faq.md.
const { paths } = (await dereference(structuredClone(document))) as typeof document;
const { description, requestBody } = paths["/public/v1/screenshots"].post;
const schema = requestBody.content["application/json"].schema as object;

const plan = (params: CreateScreenshotsParams) => client.screenshots.create(params);
const fields = jsonSchema<CreateScreenshotsParams>(schema);
export const planSet = tool({ description, inputSchema: fields, execute: plan });

export const server = new McpServer({ name: "screenshot-sets", version: "1.0.0" });
const inputSchema = fromJsonSchema<CreateScreenshotsParams>(schema as Parameters<typeof fromJsonSchema>[0]);
server.registerTool("plan-set", { description, inputSchema }, async (params) => {
  return { content: [{ type: "text", text: JSON.stringify(await plan(params)) }] };
});
