import { initTRPC } from "@trpc/server";
import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { createScreenshotsParams } from "screenshot-sets/schema";
import { client } from "./client.js";

const t = initTRPC.create();
const withParams = t.procedure.input(createScreenshotsParams);
const planSet = withParams.mutation(({ input }) => client.screenshots.create(input));

/** Posts a body as JSON. */
export function post(body: string): Promise<Response> {
  const headers = { "content-type": "application/json" };
  const req = new Request("http://127.0.0.1/planSet", { method: "POST", headers, body });
  return fetchRequestHandler({ endpoint: "", router: t.router({ planSet }), req });
}
