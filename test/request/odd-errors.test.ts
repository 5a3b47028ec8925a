import { ConnectionError } from "screenshot-sets";
import { describe, expect, test } from "vitest";
import { outcomeOf } from "../helpers/outcome-of.js";

const baseUrl = "https://example.com/api/v1";

describe.each(["GET", "POST"] as const)("a %s whose fetch", (method) => {
  test.each([
    [
      "a field that throws",
      1,
      () =>
        Object.defineProperty(new Error("odd"), "code", {
          get() {
            throw new Error("no");
          },
        }),
    ],
    [
      "no field that can be read",
      1,
      () => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      },
    ],
    ["itself in many places", 3, () => manyTimesItself()],
    ["causes without end", 3, () => endless()],
  ])("rejects with an error that has %s fails as any other", async (_, reads, make) => {
    const fetch = async () => {
      throw make();
    };
    const { error } = await outcomeOf(method, { baseUrl, fetch });
    expect(error.constructor).toBe(ConnectionError);
    expect(error).toMatchObject(
      method === "GET" ? { charged: "no", attempts: reads } : { charged: "maybe", attempts: 1 },
    );
  });
});

function manyTimesItself(): AggregateError {
  const level = (depth: number): AggregateError =>
    new AggregateError(depth === 0 ? [] : Array(50).fill(level(depth - 1)));
  const error = level(8);
  error.errors.push(error);
  return error;
}

/** More of them than fit on the stack. */
function endless(): object {
  let error: object = { name: "Error" };
  for (let depth = 0; depth < 20_000; depth++) error = { name: "Error", cause: error };
  return error;
}
