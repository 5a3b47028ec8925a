import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { onTestFinished } from "vitest";

/**
 * A proxy in front of a server that can lose a reply: the command arrives and is done, and the connection breaks before
 * the client hears of it.
 */
export async function losingProxy({ host, port }: { host: string; port: number }) {
  let isLost: ((command: string) => boolean) | undefined;
  const proxy = createServer((client) => {
    const server = connect(port, host);
    const end = () => [client, server].forEach((socket) => void socket.destroy());
    for (const socket of [client, server]) socket.on("error", () => {}).on("close", end);
    let isCut = false;
    client.on("data", (command) => {
      if (isLost?.(command.toString("latin1"))) {
        isCut = true;
        isLost = undefined;
      }
      server.write(command);
    });
    server.on("data", (reply) => (isCut ? end() : client.write(reply)));
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void proxy.close());
  return {
    port: (proxy.address() as AddressInfo).port,
    /** Loses the reply to the nth command that contains `text`. */
    lose(nth: number, text: string): void {
      let seen = 0;
      isLost = (command) => command.includes(text) && ++seen === nth;
    },
    /** Whether it has lost the reply that it should. */
    get hasLost(): boolean {
      return isLost === undefined;
    },
  };
}
