import { createHash, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

interface Message {
  body: string;
  /** When it may be received, by `Date.now()`. */
  visibleAt: number;
}

/**
 * A queue that speaks what AWS's client sends for `SendMessage`. `GET /` receives a message, which comes again unless it
 * is deleted within the visibility time-out: `DELETE /ID`.
 */
export async function fakeSqs(visibilityMs: number) {
  const messages = new Map<string, Message>();
  const receive = () => {
    const now = Date.now();
    const [id, message] = [...messages].find(([, { visibleAt }]) => visibleAt <= now) ?? [];
    if (message) message.visibleAt = now + visibilityMs;
    return message ? { id, body: message.body } : {};
  };
  const send = ({ MessageBody: body, DelaySeconds = 0 }: { MessageBody: string; DelaySeconds?: number }) => {
    const MessageId = randomUUID();
    messages.set(MessageId, { body, visibleAt: Date.now() + DelaySeconds * 1_000 });
    return { MessageId, MD5OfMessageBody: createHash("md5").update(body).digest("hex") };
  };
  const server = createServer(async (request, response) => {
    const sent = await text(request);
    if (request.method === "DELETE") messages.delete(String(request.url).slice(1));
    const answer =
      request.method === "GET" ? receive() : request.method === "POST" ? send(JSON.parse(sent)) : {};
    response.writeHead(200, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    environment: {
      QUEUE_URL: `${url}/`,
      AWS_ENDPOINT_URL_SQS: url,
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "none",
      AWS_SECRET_ACCESS_KEY: "none",
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
