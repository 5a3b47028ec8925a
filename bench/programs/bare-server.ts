import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

// The least that a server does which takes and answers JSON over HTTP. Both answers are made beforehand.

const job = JSON.stringify({ id: "job_1", status: "queued", result: null, error: null });
const accepted = JSON.stringify({ jobId: "job_10000", credits: { cost: 10, remaining: 999_900_000 } });

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  function answer(status: number, body: string) {
    response.writeHead(status, { "content-length": body.length, "content-type": "application/json" });
    response.end(body);
  }
  if (request.method === "GET") return answer(200, job);
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.once("end", () => {
    JSON.parse(Buffer.concat(chunks).toString());
    answer(201, accepted);
  });
});
server.listen(0, "127.0.0.1", () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: "key_1" });
});
process.once("disconnect", () => process.exit());
