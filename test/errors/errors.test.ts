import * as sdk from "screenshot-sets";
import { expect, test } from "vitest";
import { goodBody, outcomeOf } from "../helpers/outcome-of.js";

const baseUrl = "https://example.com/api/v1";
const json = (error: unknown) => JSON.parse(JSON.stringify(error));

const classes = Object.entries(sdk).filter(([name]) => name.endsWith("Error")) as [
  string,
  typeof sdk.ApiError,
][];

test.each(classes)("nothing but an error of its own is a %s", (name, errorClass) => {
  for (const value of [null, undefined, 7, name, {}, new Error("words"), errorClass, () => {}]) {
    expect(value instanceof errorClass).toBe(false);
  }
  expect(errorClass.prototype.name).toBe(name);
});

test("a class made of one of the package's claims no error but its own, and has a name of its own", () => {
  class MineError extends sdk.ConfigurationError {
    constructor() {
      super("words");
      this.name = "MineError";
    }
  }
  const mine = new MineError();
  expect(String(mine)).toBe("MineError: words");
  expect(mine).toBeInstanceOf(MineError);
  expect(mine).toBeInstanceOf(sdk.ConfigurationError);
  expect(Object.create(sdk.ConflictError.prototype)).not.toBeInstanceOf(MineError);
  expect(Object.create(sdk.ConfigurationError.prototype)).not.toBeInstanceOf(MineError);
});

test("an error in JSON has its name, its message and the fields that hold a value, without headers and body", async () => {
  const headers = { "x-request-id": "req_1", "set-cookie": "secret" };
  const body = { message: "No such job", secret: "secret" };
  const fetch = async () => Response.json(body, { status: 404, headers });
  const { error } = await outcomeOf("GET", { baseUrl, fetch });
  const shown = {
    jobId: "job-1",
    charged: "no",
    attempts: 1,
    status: 404,
    requestId: "req_1",
    method: "GET",
    path: "/public/v1/jobs/job-1",
    isRetryable: false,
  };
  expect({ ...error }).toStrictEqual({ ...shown, headers: error.headers, body, retryAfterMs: undefined });
  expect(Object.hasOwn(error, "cause")).toBe(false);
  const message = "getJob failed with 404: No such job. (Request id: req_1)";
  expect(error.toJSON()).toStrictEqual({ name: "NotFoundError", message, ...shown });
});

test("an answer that breaks the document is told by its issues", async () => {
  const { error } = await outcomeOf("POST", {
    baseUrl,
    fetch: async () => Response.json({ data: goodBody }),
  });
  const issues = [{ path: "jobId", message: "Expected a string, got undefined" }];
  const shown = { jobId: "job-1", charged: "maybe", status: 200, issues };
  expect({ ...error }).toStrictEqual({ ...shown, headers: error.headers, body: { data: goodBody } });
  expect(json(error)).toEqual({ name: "InvalidResponseError", message: error.message, ...shown });
});

/** Whose text may hold the key. */
const misleading = Object.assign(new Error("lost"), { toString: () => "secret" });
test.each([
  ["an error", new TypeError("fetch failed", { cause: { secret: "deep" } }), "TypeError: fetch failed"],
  ["an error with a text of its own", misleading, "Error: lost"],
  ["a text", "lost", "lost"],
  ["nothing", undefined, undefined],
  ["what cannot be written as text", Object.create(null), "object"],
  ["what only looks like an error", { name: "FetchError", message: "lost" }, "FetchError: lost"],
  ["an error without a message", new RangeError(), "RangeError"],
  ["what is very long", new Error("x".repeat(10_000)), `Error: ${"x".repeat(493)}…`],
])("its cause is told in brief where that is %s", async (_, thrown, cause) => {
  const fetch = () => Promise.reject(thrown);
  const { error } = await outcomeOf("POST", { baseUrl, fetch, maxRetries: 0 });
  expect(error.constructor).toBe(sdk.ConnectionError);
  expect(json(error).cause).toBe(cause);
});
