import { once } from "node:events";
import express from "express";
import { planSet } from "./plan-set.mjs";

export async function start() {
  const app = express();
  app.post("/sets", express.json(), async (request, response) => {
    const { status, body } = await planSet(request.body);
    response.status(status).json(body);
  });
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
