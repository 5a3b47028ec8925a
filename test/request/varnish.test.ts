import { request } from "node:http";
import { ServerError } from "screenshot-sets";
import { expect, test } from "vitest";
import { outcomeOf } from "../helpers/outcome-of.js";
import { rawServer, reply } from "../helpers/raw-server.js";

/** What Varnish 7 says of a backend that gives no answer, whether or not that took the request. */
const unavailable = reply(
  503,
  "<!DOCTYPE html><html><head><title>503 Backend fetch failed</title></head><body>Guru Meditation</body></html>",
  {
    ...{ server: "Varnish", "x-varnish": "32770", via: "1.1 varnish", "retry-after": 5 },
    "content-type": "text/html; charset=utf-8",
  },
);

test.each(["cuts the connection", "is too slow"])(
  "a create that Varnish answers 503, as the service took it and then %s, goes out once and may have been charged",
  async (what) => {
    let giveUp = () => {};
    const service = await rawServer((socket) =>
      what === "is too slow" ? giveUp() : socket.resetAndDestroy(),
    );
    const varnish = await rawServer((socket, seen, index) => {
      const { method, path, headers, body } = seen;
      const passed = request({ host: "127.0.0.1", port: service.port, method, path, headers });
      passed.on("error", () => unavailable(socket, seen, index)).end(body);
      giveUp = () => passed.destroy();
    });
    const { error, delays } = await outcomeOf("POST", { baseUrl: varnish.baseUrl });
    expect(error.constructor).toBe(ServerError);
    expect(error).toMatchObject({ status: 503, attempts: 1, charged: "maybe" });
    expect(error).toMatchObject({ retryAfterMs: 5_000, isRetryable: false });
    expect(delays).toEqual([]);
    expect(service.seen).toHaveLength(1);
  },
);
