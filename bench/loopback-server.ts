import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

// Runs in a separate process, so that it takes no time from the measured code. It ends with its parent.
const answer = JSON.stringify({ jobId: "job_1", credits: { cost: 10, remaining: 90 } });

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume().once("end", () => {
    response.writeHead(201, { "content-type": "application/json", "content-length": answer.length });
    response.end(answer);
  });
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.once("disconnect", () => process.exit());
