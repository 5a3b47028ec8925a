import { createMock, type ListenOptions } from "screenshot-sets/mock";
import { expect, test } from "vitest";

const mock = createMock();

const apiKey = "Expected `apiKey` to be visible ASCII characters";
const baseUrl = "Expected `baseUrl` to be an http or https URL without user information, query or fragment";
const lifecycle = 'Expected `lifecycle` to be "instant", "manual", "recorded" or `{ queued, running, unit }`';

test.each<[options: object, says: string]>([
  [[], "Expected the options of `createMock` to be an object, got an array"],
  [{ baseURL: "x" }, "`createMock` has no option `baseURL`. Did you mean `baseUrl`?"],
  [{ baseUrl: "api.example" }, baseUrl],
  [{ baseUrl: "https://user:secret@api.example" }, baseUrl],
  [{ baseUrl: "https://api.example/?a=1" }, baseUrl],
  [{ baseUrl: "ftp://api.example/" }, baseUrl],
  [{ apiKey: "" }, apiKey],
  [{ apiKey: "käse" }, apiKey],
  [{ apiKey: ["a-key-in-a-list"] }, apiKey],
  [{ allowance: -1 }, "Expected `allowance` to be a non-negative integer, got -1"],
  [{ lifecycle: "slow" }, lifecycle],
  [{ lifecycle: null }, lifecycle],
  [
    { lifecycle: { queued: 1, running: 1, unit: "hours" } },
    'Expected `lifecycle.unit` to be "polls" or "ms"',
  ],
  [
    { lifecycle: { queued: 0.5, running: 1, unit: "polls" } },
    "Expected `lifecycle.queued` to be a non-negative",
  ],
  [{ lifecycle: { queued: 1, unit: "ms" } }, "Expected `lifecycle.running` to be a number of 0 or more"],
  [{ lifecycle: { queued: 1, running: 1, unit: "ms", done: 1 } }, "`lifecycle` has no option `done`."],
  [{ clock: "lunar" }, 'Expected `clock` to be "virtual" or "system"'],
  [{ strict: "yes" }, "Expected `strict` to be true or false, got a string"],
  [{ idPrefix: "a/b" }, "Expected `idPrefix` to be letters, digits and any of"],
  [{ idPrefix: 5 }, "Expected `idPrefix` to be letters, digits and any of"],
  [{ undocumented: { errorbody: () => 1 } }, "`undocumented` has no option `errorbody`."],
  [{ undocumented: { appCost: -1 } }, "Expected `undocumented.appCost` to be a non-negative integer, got -1"],
  [{ undocumented: { errorBody: { message: "no" } } }, "Expected `undocumented.errorBody` to be a function"],
  [{ undocumented: { slide: { caption: "one" } } }, "Expected `undocumented.slide` to be a function"],
  [
    { undocumented: { status: { notFound: 200 } } },
    "`undocumented.status.notFound` to be an integer from 400 to 599",
  ],
  [{ undocumented: { status: { notfound: 410 } } }, "`undocumented.status` has no option `notfound`."],
])("createMock refuses %o, naming the option and no secret: %s", (options, says) => {
  const make = () => createMock(options as never);
  expect(make).toThrow(says);
  expect(make).not.toThrow(/secret|käse|a-key-in-a-list/);
});

test.each([
  [{ allowance: -1 }, RangeError],
  [{ undocumented: { status: { notFound: 200 } } }, RangeError],
  [{ allowance: "1" }, TypeError],
  [{ strict: 1 }, TypeError],
  [{ baseURL: "x" }, TypeError],
])("createMock refuses %o with the language's own error", (options, kind) => {
  expect(() => createMock(options as never)).toThrow(kind);
});

test.each<[call: () => unknown, says: string]>([
  [() => mock.account({ baseUrl: "x" } as object), "`mock.account` has no option `baseUrl`. It takes"],
  [() => mock.requests({ operations: "getJob" } as object), "Did you mean `operation`?"],
  [() => mock.requests({ operation: "getJobs" } as object), "Expected `operation` to be "],
  [() => mock.credits.set(-1), "Expected `remaining` to be a non-negative integer, got -1"],
])("%s is refused: %s", (call, says) => {
  expect(call).toThrow(says);
});

test.each<[plan: object, says: string]>([
  [{}, 'Expected `outcome` to be "succeeded" or "failed"'],
  [{ outcome: "canceled" }, 'Expected `outcome` to be "succeeded" or "failed", got "canceled". Please'],
  [{ outcome: "failed", errors: {} }, "`mock.nextJob` has no option `errors`. Did you mean `error`?"],
  [{ outcome: "failed", lifecycle: "slow" }, lifecycle],
  [{ outcome: "failed", error: "text" }, "Expected `error` to be an object"],
  [{ outcome: "succeeded", slides: 3 }, "Expected `slides` to be an array"],
  [{ outcome: "succeeded", slides: [10n] }, "BigInt"],
])("the plan %o is refused: %s", (plan, says) => {
  expect(() => mock.nextJob(plan as never)).toThrow(says);
});

test.each<[where: object, says: string]>([
  [{ prot: 4010 }, "`mock.listen` has no option `prot`. Did you mean `port`?"],
  [{ port: 65_536 }, "Expected `port` to be an integer from 0 to 65535, got 65536"],
  [{ page: "no" }, "Expected `page` to be true or false, got a string"],
  [{ host: "" }, "Expected `host`"],
  [{ allowedHosts: "mock" }, "Expected `allowedHosts` to be an array of host names, got a string"],
  [{ allowedHosts: ["mock:4010"] }, "Expected each of `allowedHosts` to be a host name without a port"],
])("listening with %o is refused: %s", async (where, says) => {
  await expect(mock.listen(where as ListenOptions)).rejects.toThrow(says);
});
