import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { peer } from "../contestants.js";

interface JsonServer {
  create(): { use(...handlers: unknown[]): void; listen(port: number, host: string): Server };
  defaults(options: object): unknown;
  router(data: object): unknown;
}

const { default: jsonServer } = await peer<{ default: JsonServer }>("json-server");
const app = jsonServer.create();
const job = { id: "job_1", status: "queued", result: null, error: null };
app.use(jsonServer.defaults({ logger: false }));
app.use("/public/v1", jsonServer.router({ jobs: [job], screenshots: [job] }));
const server = app.listen(0, "127.0.0.1");
await once(server, "listening");
process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
process.once("disconnect", () => process.exit());
