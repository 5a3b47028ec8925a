import { afterEach, expect, test, vi } from "vitest";
import { goodBody, outcomeOf } from "../helpers/outcome-of.js";
import { rawServer, reply } from "../helpers/raw-server.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** What a create hands to `fetch` for a body. */
async function bodySent(): Promise<unknown> {
  let body: unknown;
  const fetch: typeof globalThis.fetch = async (_, init) => {
    body = init?.body;
    return Response.json(goodBody);
  };
  await outcomeOf("POST", { baseUrl: "https://example.com/api/v1", fetch });
  return body;
}

test("a create is a Blob under Deno, whose fetch sends a text again after a reset", async () => {
  expect(await bodySent()).toBeTypeOf("string");
  vi.stubGlobal("Deno", {});
  expect(await bodySent()).toBeInstanceOf(Blob);
});

test("a create under Deno is the same on the wire", async () => {
  const server = await rawServer(reply(201, goodBody));
  await outcomeOf("POST", { baseUrl: server.baseUrl });
  vi.stubGlobal("Deno", {});
  const { value } = await outcomeOf("POST", { baseUrl: server.baseUrl });
  expect(value).toEqual(goodBody);
  const [usual, inDeno] = server.seen;
  expect(inDeno).toEqual(usual);
  expect(inDeno?.headers["content-type"]).toBe("application/json");
});
