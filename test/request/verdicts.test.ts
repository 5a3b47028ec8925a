import { describe, expect, test } from "vitest";
import { judge } from "../../src/request/retry.js";

// Documents to come may have operations of any method. What is not known to change nothing is treated as a create.
const reset = {
  kind: "broken",
  text: "",
  error: Object.assign(new Error("it failed"), { code: "ECONNRESET", syscall: "read" }),
} as const;
const unavailable = { kind: "answered", text: "", status: 502, headers: new Headers() } as const;

describe.each([
  ["GET", true],
  ["HEAD", true],
  ["OPTIONS", true],
  ["POST", false],
  ["PUT", false],
  ["PATCH", false],
  ["DELETE", false],
  ["TRACE", false],
])("a %s", (method, isRead) => {
  test(isRead ? "is sent again, as it costs nothing" : "is not sent again, as it may have been taken", () => {
    for (const outcome of [reset, unavailable]) {
      expect(judge(method, outcome)).toEqual({ again: isRead, charged: isRead ? "no" : "maybe" });
    }
  });
});

describe("a create", () => {
  const answered = (status: number) => ({ ...unavailable, status });

  test.each([400, 402, 407, 409, 499])(
    "that is refused with %s is not sent again, and costs nothing",
    (status) => {
      expect(judge("POST", answered(status))).toEqual({ again: false, charged: "no" });
    },
  );

  test.each([0, 199, 200, 299, 302, 399, 408, 500, 501, 503, 504, 599])(
    "that is answered %s is not sent again, as it may have been taken",
    (status) => {
      expect(judge("POST", answered(status))).toEqual({ again: false, charged: "maybe" });
    },
  );

  test("whose connection failed is sent again, unless it would fail again", () => {
    const failure = (code: string) => ({ ...reset, error: { code } });
    expect(judge("POST", failure("ECONNREFUSED"))).toEqual({ again: true, charged: "no" });
    expect(judge("POST", failure("CERT_HAS_EXPIRED"))).toEqual({ again: false, charged: "no" });
  });
});

test("an answer too large to be read is asked for again only if its status says so", () => {
  expect(judge("GET", { ...unavailable, kind: "oversized" })).toEqual({ again: true, charged: "no" });
  expect(judge("GET", { ...unavailable, status: 200, kind: "oversized" }).again).toBe(false);
  expect(judge("POST", { ...unavailable, status: 429, kind: "oversized" })).toEqual({
    again: true,
    charged: "no",
  });
  expect(judge("POST", { ...unavailable, kind: "oversized" })).toEqual({ again: false, charged: "maybe" });
});
