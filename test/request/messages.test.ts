import { InvalidResponseError } from "screenshot-sets";
import { describe, expect, test } from "vitest";
import { createApp } from "../../src/generated/operations.js";
import { interpret } from "../../src/request/answer.js";
import { goodBody, type Method, outcomeOf } from "../helpers/outcome-of.js";
import { RequestClock } from "../helpers/request-clock.js";

const baseUrl = "https://example.com/api/v1";
const words = "No such job";
const perhapsCharged =
  " The service may have accepted and charged it: check the credits before you send it again.";

/** The error of a call that is answered so each time. */
async function errorOf(answer: () => Response, method: Method = "GET") {
  return (await outcomeOf(method, { baseUrl, fetch: async () => answer(), maxRetries: 0 })).error;
}

const refusal = (body: unknown, status = 404) => errorOf(() => Response.json(body, { status }));

describe("the words of a refusal are found", () => {
  test.each([
    ["a string", words],
    ["message", { message: words }],
    ["error", { error: words }],
    ["detail", { detail: words }],
    ["error_description", { error_description: words }],
    ["errors, a list of strings", { errors: [words, "more"] }],
    ["errors, a list of objects", { errors: [{ message: words }] }],
    ["errors by field", { errors: { message: words } }],
    ["title", { title: words }],
    ["description", { description: words }],
    ["reason", { reason: words }],
    ["errorMessage", { errorType: "Error", errorMessage: words }],
    ["the fault of a gateway", { fault: { faultstring: words, detail: { errorcode: "policies.Quota" } } }],
    ["msg, in a list under detail", { detail: [{ loc: ["body"], msg: words }] }],
    ["an error object", { error: { code: "not_found", message: words } }],
    ["five levels down", { error: { error: { error: { error: { error: words } } } } }],
    ["after fields that hold none", { message: "", error: null, detail: 7, title: words }],
    ["the first list item", [{ message: words }, { message: "other" }]],
    ["white space around and within", { message: "  No \n\t such\r\n job " }],
  ])("in %s", async (_, body) => {
    expect((await refusal(body)).message).toBe("getJob failed with 404: No such job.");
  });

  test("in the first of the usual fields", async () => {
    const names = [
      ...["message", "error_description", "error", "detail", "errors"],
      ...["title", "description", "reason", "msg"],
      ...["Message", "errorMessage", "error_message", "fault", "faultstring"],
    ];
    while (names.length > 0) {
      const body = Object.fromEntries(names.map((name) => [name, `the ${name}`]).reverse());
      expect((await refusal(body)).message).toBe(`getJob failed with 404: the ${names.shift()}.`);
    }
  });

  test.each([
    [
      "the first field",
      { errors: { iosUrl: ["is no listing", "is old"], device: "?" } },
      "iosUrl: is no listing",
    ],
    ["the first field that has words", { errors: { a: [], b: { msg: words } } }, `b: ${words}`],
    ["no field, where others have words", { errors: { a: "is odd" }, title: words }, words],
    ["a long field, cut", { errors: { ["x".repeat(600)]: words } }, `${"x".repeat(500)}…`],
  ])("in errors by field: in %s", async (_, body, found) => {
    expect((await refusal(body)).message).toMatch(`getJob failed with 404: ${found}`);
  });

  test("in text that is no JSON", async () => {
    const error = await errorOf(() => new Response("upstream said no", { status: 502 }));
    expect(error.message).toBe("getJob failed with 502: upstream said no.");
  });

  test("in text that only goes on with a tag", async () => {
    const error = await errorOf(() => new Response("said <no>", { status: 502 }));
    expect(error.message).toBe("getJob failed with 502: said <no>.");
  });

  test("in a field below that looks like HTML", async () => {
    expect((await refusal({ message: "<b>no</b>" })).message).toBe("getJob failed with 404: <b>no</b>.");
  });
});

test.each([
  ["HTML", () => new Response("<html>Bad gateway</html>", { status: 404 })],
  ["HTML after white space", () => new Response(" \n<!doctype html>", { status: 404 })],
  ["nothing", () => new Response(null, { status: 404 })],
  ["white space", () => new Response(" \n ", { status: 404 })],
  ["a number", () => Response.json(7, { status: 404 })],
  ["null", () => Response.json(null, { status: 404 })],
  ["an empty list", () => Response.json([], { status: 404 })],
  ["errors of nothing", () => Response.json({ errors: { a: [], b: null } }, { status: 404 })],
  ["errors of a number", () => Response.json({ errors: 7 }, { status: 404 })],
  ["fields of other names", () => Response.json({ code: "x", hint: "y" }, { status: 404 })],
  ["words six levels down", () => sixDeep()],
  [
    "errors by field, nested deeper than the stack",
    () => new Response(nestedErrors(10_000), { status: 404 }),
  ],
  ["words six lists down", () => Response.json([[[[[[words]]]]]], { status: 404 })],
])("a refusal with %s is told by its status alone", async (_, answer) => {
  expect((await errorOf(answer)).message).toBe("getJob failed with 404.");
});

function nestedErrors(levels: number) {
  return `${'{"errors":{"field":'.repeat(levels)}1${"}}".repeat(levels)}`;
}

function sixDeep() {
  return Response.json(
    { error: { error: { error: { error: { error: { error: words } } } } } },
    { status: 404 },
  );
}

test.each([".", "!", "?", "…"])("words that end in %s get no full stop more", async (end) => {
  expect((await refusal({ message: `Gone${end}` })).message).toBe(`getJob failed with 404: Gone${end}`);
});

test("a full stop within the words does not end them", async () => {
  expect((await refusal({ message: "a. b" })).message).toBe("getJob failed with 404: a. b.");
});

test.each([
  ["of 500 characters are kept", 500, "x".repeat(500), "."],
  ["of more are cut at 500", 501, "x".repeat(500), "…"],
])("words %s", async (_, length, kept, end) => {
  const error = await refusal({ message: "x".repeat(length) });
  expect(error.message).toBe(`getJob failed with 404: ${kept}${end}`);
});

test("of long words that begin with white space, what fits is kept", async () => {
  const error = await refusal({ message: `${" ".repeat(900)}${"x".repeat(400)}` });
  expect(error.message).toBe(`getJob failed with 404: ${"x".repeat(100)}.`);
});

describe("the request id of a refusal is found", () => {
  const names = [
    ...["x-request-id", "request-id", "x-correlation-id", "x-amzn-requestid"],
    ...["x-amz-request-id", "cf-ray"],
  ];
  const idOf = async (headers: Record<string, string>) =>
    (await errorOf(() => new Response("", { status: 404, headers }))).requestId;

  test.each(names)("in %s", async (name) => {
    expect(await idOf({ [name]: "id-1" })).toBe("id-1");
  });

  test("in the first of the usual headers that is not empty", async () => {
    const left = [...names];
    while (left.length > 0) {
      const headers = Object.fromEntries(left.map((name) => [name, `of ${name}`]));
      expect(await idOf({ ...headers, "x-request-id": headers["x-request-id"] ?? "" })).toBe(
        `of ${left.shift()}`,
      );
    }
  });

  test("nowhere else", async () => {
    expect(await idOf({ "x-other": "id-1" })).toBeUndefined();
  });
});

describe.each([
  ["GET", "getJob", ""],
  ["POST", "createScreenshots", perhapsCharged],
] as const)("a %s says", (method, name, hint) => {
  test.each([
    ["what the error behind the failure says", failure(new Error("read ECONNRESET")), "read ECONNRESET"],
    ["what the failure itself says", new TypeError("Failed to fetch"), "Failed to fetch"],
    ["that of the two which says something", failure(new Error("")), "fetch failed"],
    [
      "why the first address of a host failed",
      failure(new AggregateError([new Error("connect ECONNREFUSED ::1:80"), new Error("the other")])),
      "connect ECONNREFUSED ::1:80",
    ],
    ["that of the failure, where no address was tried", failure(new AggregateError([])), "fetch failed"],
    ["the code of a failure without words", { name: "Error", code: "ECONNRESET" }, "ECONNRESET"],
  ])("%s", async (_, thrown, why) => {
    const fetch = async () => {
      throw thrown;
    };
    const { error } = await outcomeOf(method, { baseUrl, fetch, maxRetries: 0 });
    expect(error.message).toBe(`${name} failed: no answer (${why}).${hint}`);
  });

  test("nothing of a failure that says nothing", async () => {
    const fetch = () => Promise.reject(undefined);
    const { error } = await outcomeOf(method, { baseUrl, fetch, maxRetries: 0 });
    expect(error.message).toBe(`${name} failed: no answer.${hint}`);
  });

  test("of which answer the body broke off", async () => {
    const pull = (controller: ReadableStreamDefaultController) =>
      controller.error(new TypeError("terminated"));
    const fetch = async () => new Response(new ReadableStream({ pull }), { status: 206 });
    const { error } = await outcomeOf(method, { baseUrl, fetch, maxRetries: 0 });
    expect(error.message).toBe(`${name} failed: the body of the 206 answer broke off (terminated).${hint}`);
  });

  test("after how long an attempt timed out", async () => {
    const clock = new RequestClock();
    const fetch = () => {
      void clock.expire();
      return new Promise<Response>(() => {});
    };
    const { error } = await outcomeOf(method, { baseUrl, fetch, maxRetries: 0 }, clock);
    expect(error.message).toBe(`${name} timed out: no whole answer within 90000 ms.${hint}`);
  });

  test.each([
    ["an empty body", () => new Response(" "), "an empty body"],
    ["a body that is not JSON", () => new Response("pong"), "a body that is not JSON"],
    [
      "a body of another kind",
      () => Response.json([]),
      "a body that breaks the document: body: Expected an object, got an array",
    ],
    ["a redirect", () => new Response(null, { status: 300 }), "a redirect, which is never followed"],
    ["a redirect", () => new Response(null, { status: 399 }), "a redirect, which is never followed"],
    ["what follows a redirect", () => redirected(), "an answer from somewhere else, after a redirect"],
  ])("that it was answered with %s", async (_, answer, what) => {
    const error = await errorOf(answer, method);
    expect(error.message).toBe(`${name} was answered ${error.status} with ${what}.${hint}`);
    const [issue] = error.issues;
    expect(error.issues).toHaveLength(1);
    expect(issue.path).toBe("");
    expect(issue.message).toBe(
      what.startsWith("a body that breaks") ? "Expected an object, got an array" : `Got ${what}`,
    );
  });
});

function redirected() {
  return Object.defineProperty(Response.json({}), "redirected", { value: true });
}

test("an operation without an answer in the document takes any body, or none", () => {
  const operation = { ...createApp, name: "deleteJob", body: undefined, answer: undefined };
  const call = {
    operation,
    method: "DELETE",
    path: "/jobs/1",
    timeoutMs: 7,
    jobId: undefined,
    idempotencyKey: undefined,
  };
  const context = { call, attempts: 1, verdict: { again: false, charged: "maybe" } } as const;
  for (const [status, text, value] of [
    [204, "", undefined],
    [200, "{}", {}],
    [202, "taken", "taken"],
  ] as const) {
    const outcome = { kind: "answered", status, headers: new Headers(), text } as const;
    expect(interpret(outcome, context, (one) => one)).toMatchObject({ value });
  }
});

function failure(cause: unknown) {
  return new TypeError("fetch failed", { cause });
}

describe("the code of a failure is", () => {
  const coded = (code: string, cause?: unknown) => Object.assign(new Error("failed", { cause }), { code });
  const deep = (levels: number): unknown => (levels === 0 ? coded("ECONNRESET") : failure(deep(levels - 1)));

  test.each([
    ["that of the failure itself, before that of its cause", coded("EPIPE", coded("ECONNRESET")), "EPIPE"],
    [
      "that of the first address",
      failure(new AggregateError([coded("EPIPE"), coded("ECONNRESET")])),
      "EPIPE",
    ],
    ["found ten causes deep", deep(10), "ECONNRESET"],
    ["not looked for deeper", deep(11), undefined],
    ["none where there is none", failure(new Error("?")), undefined],
    ["no number", Object.assign(new Error("odd"), { code: 7 }), undefined],
  ])("%s", async (_, thrown, code) => {
    const fetch = async () => {
      throw thrown;
    };
    expect((await outcomeOf("GET", { baseUrl, fetch, maxRetries: 0 })).error.code).toBe(code);
  });
});

test("which field of an answer breaks the document is said by its path", async () => {
  const error = await errorOf(
    () => Response.json({ ...goodBody, credits: { ...goodBody.credits, cost: null } }),
    "POST",
  );
  const expected = `Expected a ${typeof goodBody.credits.cost}, got null`;
  expect(error.message).toBe(
    `createScreenshots was answered 200 with a body that breaks the document: credits.cost: ${expected}.` +
      " The service accepted job job-1, so credits may have been charged: wait for that job instead of creating it again.",
  );
  expect(error.issues).toEqual([{ path: "credits.cost", message: expected }]);
});

describe("the job id of an acceptance that breaks the document", () => {
  const idIn = async (text: string) => {
    const error = await errorOf(() => new Response(text), "POST");
    expect(error.constructor).toBe(InvalidResponseError);
    return error.jobId;
  };

  test.each([
    ["in a field of its own, before any below another", '{"data":{"jobId":"job-8"},"jobId":"job-7"}'],
    ["in a field of its own, whatever else is said", '{"note":"\\"jobId\\":\\"job-8\\"","jobId":"job-7"}'],
    ["below another, with white space", '{"data":{"jobId" \n:\t "job-7"}}'],
    ["in text that is cut off after it", '{"jobId":"job-7","cre'],
    ["with characters that are escaped", '{"jobId":"job\\u002d7","cre'],
  ])("is found %s", async (_, text) => {
    expect(await idIn(text)).toBe("job-7");
  });

  test.each([1000, 1001, 100_000])("may be of %d characters", async (length) => {
    const id = "x".repeat(length);
    expect(await idIn(JSON.stringify({ jobId: id }))).toBe(id);
    expect(await idIn(JSON.stringify({ data: { jobId: id } }))).toBe(id);
  });

  test.each([
    ["a number", '{"jobId":7}', "7"],
    ["a number of more digits than JavaScript keeps", '{"jobId" : 90071992547409931 }', "90071992547409931"],
    ["a number below another field", '{"data":{"jobId":7}}', "7"],
    ["a number, though another comes first below", '{"credits":{"jobId":8},"jobId":7}', "7"],
    ["a string, though a number comes first", '{"data":{"jobId":8},"old":{"jobId":"job-7"}}', "job-7"],
  ])("may be %s", async (_, text, id) => {
    expect(await idIn(text)).toBe(id);
  });

  test.each([
    ["it is neither text nor a number", '{"data":{"jobId":true}}'],
    ["it is a number that may be cut off", '{"jobId":7'],
    ["it is cut off within", '{"jobId":"job-'],
    ["its escapes are none", '{"jobId":"job\\x7","cre'],
    ["it is called otherwise", '{"data":{"jobIds":"job-7"}}'],
  ])("is not found where %s", async (_, text) => {
    expect(await idIn(text)).toBeUndefined();
  });
});
