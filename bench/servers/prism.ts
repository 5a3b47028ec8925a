import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { peer } from "../contestants.js";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function isThere(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}

const document = fileURLToPath(new URL("../../openapi.json", import.meta.url));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
// Its command, in this process, without the lines that it would write for each request.
process.argv = [process.execPath, "prism", "mock", document, "--port", String(port), "-v", "silent"];
await peer("@stoplight/prism-cli");
while (!(await isThere(url))) await new Promise((resolve) => setTimeout(resolve, 50));
process.send?.({ url });
process.once("disconnect", () => process.exit());
