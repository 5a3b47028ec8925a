import { setupServer } from "msw/node";
import { createMock, type Lifecycle, type MockOptions } from "screenshot-sets/mock";
import { handlers, listenOptions } from "screenshot-sets/mock/msw";
import { expect, onTestFinished, test, vi } from "vitest";
import { rejection } from "../helpers/rejection.js";
import { asking, second } from "./ask.js";

/** The mock behind msw, asked with the global `fetch`. */
function open(options?: MockOptions) {
  const mock = createMock(options);
  const server = setupServer(...handlers(mock));
  server.listen(listenOptions);
  onTestFinished(() => server.close());
  const clientOptions = { ...mock.clientOptions, fetch: globalThis.fetch };
  return { mock, ...asking({ ...mock, clientOptions }) };
}

test.each<[lifecycle: Lifecycle | undefined, retryAfters: (string | null)[]]>([
  [undefined, ["0", "0", null]],
  ["manual", [null]],
  [{ queued: second, running: second, unit: "ms" }, [null]],
])(
  "lets no client on another clock wait for a job that runs on polls: with %j, Retry-After is %j",
  async (...row) => {
    const [lifecycle, retryAfters] = row;
    const { createJob, send } = open({ lifecycle });
    const jobId = await createJob();

    for (const retryAfter of retryAfters) {
      expect((await send(`/public/v1/jobs/${jobId}`)).headers.get("retry-after")).toBe(retryAfter);
    }
  },
);

test.each(["/", "/artwork/app_1.png", "/a/b/c.html?d=e"])(
  "lets no request below the base URL reach the network: %s",
  async (path) => {
    const { ask } = open();

    expect(await ask(path)).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
  },
);

test("leaves what is not below the base URL to other handlers, as an error", async () => {
  open();
  const silenced = vi.spyOn(console, "error").mockImplementation(() => {});

  const error = await rejection(fetch("https://api.screenshot-sets.test/api/v10/apps"));

  // Only msw 2 says so in the error too; in neither is it the network's own for a name that there is not.
  expect(error.cause?.code).not.toBe("ENOTFOUND");
  expect(String(silenced.mock.calls)).toContain("/api/v10/apps");
  silenced.mockRestore();
});

test("applies faults", async () => {
  const { mock, createJob, createSet, send } = open();
  await createJob();
  for (const fault of [{ status: 503 }, "reset", "malformed", "truncated"] as const) {
    mock.fault(fault, { when: "after" });
  }

  expect((await createSet("app_1")).status).toBe(503);
  expect(await rejection(createSet("app_1"))).toBeInstanceOf(TypeError);
  expect(await (await send("/public/v1/jobs/job_1")).text()).toMatch(/^<!doctype/);
  // msw 3 breaks off before the head or ends the body early, where msw 2 breaks off in the body.
  await expect(send("/public/v1/jobs/job_1").then((response) => response.json())).rejects.toThrow();
  expect(mock.credits.used).toBe(30);
});

test("hangs until the caller gives up", async () => {
  const { mock, send } = open();
  mock.fault("hang");
  const controller = new AbortController();

  const hanging = send("/public/v1/jobs/job_1", undefined, { signal: controller.signal });
  await vi.waitFor(() => expect(mock.requests()).toHaveLength(1), { timeout: 20_000 });
  controller.abort("enough");

  expect(await rejection(hanging)).toBe("enough");
});

test("answers 418, which clients do not send again, where a strict mock has only a guess", async () => {
  const { look } = open({ strict: true });

  const { status, body } = await look("job_9");

  expect(status).toBe(418);
  expect(body.error.message).toContain("`status.notFound`");
});

test("takes a base URL whose characters mean something in patterns", async () => {
  const { createApp } = open({ baseUrl: "http://localhost:4010/a.b+(c)/v1" });

  expect(await createApp()).toBe("app_1");
});

test("asks for a mock made by `createMock`", () => {
  expect(() => handlers({} as never)).toThrow("Expected a mock made by `createMock`");
});
