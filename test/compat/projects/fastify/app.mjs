import fastify from "fastify";
import { planSet } from "./plan-set.mjs";

export async function start() {
  const app = fastify();
  app.post("/sets", async (request, reply) => {
    const { status, body } = await planSet(request.body);
    return reply.code(status).send(body);
  });
  return { url: await app.listen({ port: 0, host: "127.0.0.1" }), close: () => app.close() };
}
