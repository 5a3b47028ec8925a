import { ConnectionError } from "screenshot-sets";
import { describe, expect, test } from "vitest";
import { outcomeOf } from "../helpers/outcome-of.js";

const baseUrl = "https://example.com/api/v1";

describe.each(["GET", "POST"] as const)("a %s whose fetch", (method) => {
  test.each([
    [
      "a field that throws",
      () =>
        Object.defineProperty(new Error("odd"), "code", {
          get() {
            throw new Error("no");
          },
        }),
    ],
    [
      "no field that can be read",
      () => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      },
    ],
    ["itself in many places", () => manyTimesItself()],
    ["causes without end", () => endless()],
  ])("rejects with an error that has %s fails as any other", async (_, make) => {
    const fetch = async () => {
      throw make();
    };
    const { error } = await outcomeOf(method, { baseUrl, fetch, maxRetries: 0 });
    expect(error.constructor).toBe(ConnectionError);
    expect(error.charged).toBe(method === "GET" ? "no" : "maybe");
  });
});

function manyTimesItself(): AggregateError {
  const level = (depth: number): AggregateError =>
    new AggregateError(depth === 0 ? [] : Array(50).fill(level(depth - 1)));
  const error = level(8);
  error.errors.push(error);
  return error;
}

function endless(): Error {
  let error = new Error("first");
  for (let depth = 0; depth < 1000; depth++) error = new Error("next", { cause: error });
  return error;
}
