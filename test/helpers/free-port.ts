import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** A loopback port without a listener. Systems do not assign ports of this range, so it stays free. */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, 30_000);
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return freePort();
  }
  server.close();
  await once(server, "close");
  return port;
}
