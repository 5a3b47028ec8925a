import { describe, expect, test } from "vitest";
import { judge } from "../../src/retry.js";

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
