import { sValidator } from "@hono/standard-validator";
import { Hono } from "hono";
import { createScreenshotsParams } from "screenshot-sets/schema";
import { client } from "./client.js";

const app = new Hono();
const params = sValidator("json", createScreenshotsParams);
app.post("/sets", params, async (c) => c.json(await client.screenshots.create(c.req.valid("json"))));

/** Posts a body as JSON. */
export async function post(body: string): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return app.request("/sets", { method: "POST", headers, body });
}
