import * as sdk from "screenshot-sets";
import { expect, test } from "vitest";
import { outcomeOf } from "../helpers/outcome-of.js";
import { loadOwnModules } from "../helpers/own-modules.js";

const baseUrl = "https://example.com/api/v1";

/** An error of a copy of the package. */
function conflict({ ConflictError }: typeof sdk): sdk.ApiError {
  return Object.assign(Object.create(ConflictError.prototype), { status: 409 });
}

const classes = Object.entries(sdk).filter(([name]) => name.endsWith("Error")) as [
  string,
  typeof sdk.ApiError,
][];

test("an error is an instance of its class and those above, in each copy of the package", async () => {
  loadOwnModules();
  const copy: typeof sdk = await import("screenshot-sets");
  expect(copy.ConflictError).not.toBe(sdk.ConflictError);
  for (const error of [conflict(sdk), conflict(copy)]) {
    for (const { ConflictError, ApiError, ScreenshotSetsError, NotFoundError, ConnectionError } of [
      sdk,
      copy,
    ]) {
      expect(error).toBeInstanceOf(ConflictError);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toBeInstanceOf(ScreenshotSetsError);
      expect(error).not.toBeInstanceOf(NotFoundError);
      expect(error).not.toBeInstanceOf(ConnectionError);
    }
  }
});

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
  expect(conflict(sdk)).not.toBeInstanceOf(MineError);
  expect(Object.create(sdk.ConfigurationError.prototype)).not.toBeInstanceOf(MineError);
});

test.each([
  ["ApiError", 404, "status headers body requestId method path attempts retryAfterMs isRetryable"],
  ["InvalidResponseError", 200, "status headers body issues"],
])("an %s has the fields of its class and no others", async (_, status, fields) => {
  const fetch = async () => new Response("<html>", { status });
  const { error } = await outcomeOf("GET", { baseUrl, fetch });
  expect(Object.keys(error).sort()).toEqual(["jobId", "charged", ...fields.split(" ")].sort());
});

test("an error without a cause has no such field", async () => {
  const refused = await outcomeOf("GET", { baseUrl, fetch: async () => new Response("", { status: 404 }) });
  expect(Object.hasOwn(refused.error, "cause")).toBe(false);
  const failed = await outcomeOf("GET", { baseUrl, fetch: () => Promise.reject(new Error("down")) });
  expect(Object.hasOwn(failed.error, "cause")).toBe(true);
});
