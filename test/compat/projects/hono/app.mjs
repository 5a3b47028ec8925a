import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { planSet } from "./plan-set.mjs";

export async function start() {
  const app = new Hono();
  app.post("/sets", async (context) => {
    const { status, body } = await planSet(await context.req.json());
    return context.json(body, status);
  });
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) =>
      resolve({ url: `http://127.0.0.1:${port}`, close: () => server.close() }),
    );
  });
}
