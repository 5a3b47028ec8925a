import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

// The least that answers over HTTP: it knows both answers beforehand, and lets what is sent pass by.
const job = JSON.stringify({ id: "job_1", status: "queued", result: null, error: null });
const accepted = JSON.stringify({ jobId: "job_10000", credits: { cost: 10, remaining: 999_900_000 } });

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const [status, body] = request.method === "GET" ? [200, job] : [201, accepted];
  request.resume().once("end", () => {
    response.writeHead(status, {
      "content-length": Buffer.byteLength(body),
      "content-type": "application/json",
    });
    response.end(body);
  });
});
server.listen(0, "127.0.0.1", () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
process.once("disconnect", () => process.exit());
