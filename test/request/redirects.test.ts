import { InvalidResponseError } from "screenshot-sets";
import { describe, expect, test } from "vitest";
import { goodBody, outcomeOf } from "../helpers/outcome-of.js";
import { rawServer, reply } from "../helpers/raw-server.js";

const headers = ["authorization", "x-api-key"] as const;
const statuses = [300, 301, 302, 303, 304, 307, 308];
const rows = headers.flatMap((authHeader) => statuses.map((status) => ({ authHeader, status })));

describe.each(["GET", "POST"] as const)("a %s", (method) => {
  test.each(rows)(
    "is not redirected by a $status, with the key in $authHeader",
    async ({ authHeader, status }) => {
      const other = await rawServer(reply(200, goodBody));
      const location = `${other.baseUrl}/public/v1/jobs/job-1`;
      const server = await rawServer(reply(status, status === 304 ? "" : "moved", { location }));

      const { error, elapsedMs } = await outcomeOf(method, { baseUrl: server.baseUrl, authHeader });

      expect(error.constructor).toBe(InvalidResponseError);
      expect(error).toMatchObject({ status, charged: method === "GET" ? "no" : "maybe" });
      expect(error.issues).toHaveLength(1);
      expect(error.headers.get("location")).toBe(location);
      expect(error.message).toContain("redirect");
      expect(server.seen).toHaveLength(1);
      expect(other).toMatchObject({ connections: 0, seen: [] });
      expect(elapsedMs).toBe(0);
    },
  );

  test("is not redirected with a Retry-After either", async () => {
    const server = await rawServer(reply(303, "", { location: "/elsewhere", "retry-after": 1 }));
    const { error } = await outcomeOf(method, { baseUrl: server.baseUrl });
    expect(error).toMatchObject({ name: "InvalidResponseError", charged: method === "GET" ? "no" : "maybe" });
    expect(server.seen).toHaveLength(1);
  });

  test("tells a redirect whose status a browser hides", async () => {
    const opaque = {
      status: 0,
      type: "opaqueredirect",
      redirected: false,
      headers: new Headers(),
      body: null,
    };
    const fetch = async () => opaque as Response;
    const { error } = await outcomeOf(method, { baseUrl: "https://example.com/", fetch });
    expect(error.constructor).toBe(InvalidResponseError);
    expect(error).toMatchObject({ status: 0, charged: method === "GET" ? "no" : "maybe" });
  });

  test.each([200, 201, 404, 429, 503])(
    "does not trust a %s that a fetch followed a redirect to",
    async (status) => {
      let sent = 0;
      const fetch = async () => {
        sent++;
        const response = Response.json(goodBody, { status, headers: { "retry-after": "1" } });
        return Object.defineProperty(response, "redirected", { value: true });
      };
      const { error } = await outcomeOf(method, { baseUrl: "https://example.com/", fetch });
      expect(error.constructor).toBe(InvalidResponseError);
      expect(error).toMatchObject({ status, jobId: "job-1", charged: method === "GET" ? "no" : "maybe" });
      expect(sent).toBe(1);
    },
  );
});
