import { createMock, type Fault } from "screenshot-sets/mock";
import { expect, test } from "vitest";

const mock = createMock();

/** Each way to hand over options, with one that has a wrong name. */
const mistakes: [call: () => unknown, says: string][] = [
  [
    () => createMock({ baseURL: "x" } as object),
    "`createMock` has no option `baseURL`. Did you mean `baseUrl`?",
  ],
  [() => createMock({ credits: 5 } as object), "`createMock` has no option `credits`. It takes `apiKey`"],
  [
    () => createMock({ undocumented: { errorbody: () => 1 } as object }),
    "`undocumented` has no option `errorbody`.",
  ],
  [
    () => createMock({ undocumented: { status: { notfound: 410 } as object } }),
    "`undocumented.status` has no option `notfound`. Did you mean `notFound`?",
  ],
  [
    () => createMock({ lifecycle: { queued: 1, running: 1, unit: "ms", done: 1 } as never }),
    "`lifecycle` has no option `done`. It takes `queued`",
  ],
  [
    () => mock.account({ baseUrl: "x" } as object),
    "`mock.account` has no option `baseUrl`. It takes `apiKey`",
  ],
  [
    () => mock.nextJob({ outcome: "failed", errors: {} } as never),
    "`mock.nextJob` has no option `errors`. Did you mean `error`?",
  ],
  [
    () => mock.fault("reset", { time: 2 } as object),
    "`mock.fault` has no option `time`. Did you mean `times`?",
  ],
  [
    () => mock.fault({ status: 500, retryAfterMs: 5 } as Fault),
    "`mock.fault` has no option `retryAfterMs`. Did you mean `retryAfter`?",
  ],
  [
    () => mock.fault({ latency: 5 } as never),
    "`mock.fault` has no option `latency`. Did you mean `latencyMs`?",
  ],
  [
    () => mock.requests({ operations: "getJob" } as object),
    "`mock.requests` has no option `operations`. Did you mean `operation`?",
  ],
];

test.each(mistakes)("%s is refused: %s", (call, says) => {
  expect(call).toThrow(TypeError);
  expect(call).toThrow(says);
});

test("an unknown option of listen rejects, and nothing listens", async () => {
  const refused = expect(mock.listen({ prot: 4010 } as object)).rejects;
  await refused.toThrow("`mock.listen` has no option `prot`. Did you mean `port`?");
});

test.each([
  [5, "a number"],
  ["instant", "a string"],
  [null, "null"],
  [[], "an array"],
  [Promise.resolve({}), "a Promise"],
  [new Map([["allowance", 5]]), "a Map"],
])("%o in the place of options is refused", (wrong, name) => {
  expect(() => createMock(wrong as object)).toThrow(
    `Expected the options of \`createMock\` to be an object, got ${name}`,
  );
});

test.each([
  ["strict", () => createMock({ strict: "yes" as never })],
  ["undocumented.refundFailedJobs", () => createMock({ undocumented: { refundFailedJobs: "yes" as never } })],
])("a text for `%s` is refused", (name, call) => {
  expect(call).toThrow(new TypeError(`Expected \`${name}\` to be true or false, got a string`));
});

test("a text for the `page` of listen rejects", async () => {
  const refused = expect(mock.listen({ page: "no" as never })).rejects;
  await refused.toThrow("Expected `page` to be true or false, got a string");
});

test("the options may be an object of a class", () => {
  class Own {
    allowance = 20;
  }
  expect(createMock(new Own()).credits.remaining).toBe(20);
});

test("an option that is refused leaves the mock as it was", () => {
  const one = createMock();
  expect(() => one.account({ key: "k" } as object)).toThrow(TypeError);
  expect(one.account().clientOptions.apiKey).toBe(createMock().account().clientOptions.apiKey);
});
