import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { context, propagation, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { http, passthrough } from "msw";
import { setupServer } from "msw/node";
import * as sdk from "screenshot-sets";
import { devices, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { handlers, listenOptions } from "screenshot-sets/mock/msw";
import manifest from "screenshot-sets/package.json" with { type: "json" };
import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { defaultCount, setCost } from "../../src/generated/values.js";
import { repository } from "../helpers/repository.js";
import { filesIn, folder, samples, textOf } from "../helpers/samples.js";
import { temporaryFolder } from "../helpers/temporary-folder.js";

// The samples are run as they stand, with the two environment variables pointing to the mock; one that imports vitest is a
// test file, and its tests become tests of this one.

const readme = textOf("README.md");

test("shows the whole task before line 25", () => {
  const lines = readme.split("\n").slice(0, 24).join("\n");
  expect(lines).toMatch(/apps\.create/);
  expect(lines).toMatch(/waitForJob|createAndWait/);
  expect(lines).toMatch(/result\.slides/);
});

test("names the two commands for a new clone as they are", () => {
  expect(readme.split("\n")).toEqual(
    expect.arrayContaining(["npm ci && npm run demo", "npm ci && npm test"]),
  );
});

test("the table of errors names every class of them", () => {
  const names = Object.entries(sdk)
    .filter(([, value]) => typeof value === "function" && value.prototype instanceof Error)
    .map(([name]) => name)
    .filter((name) => !/^(ScreenshotSets|Api)Error$/.test(name));
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !new RegExp(`^\\| .*\`${name}\`.*\\|$`, "m").test(readme))).toEqual([]);
});

test("a page names only scripts that exist, and CONTRIBUTING.md says what each does and why an override stands", () => {
  const { scripts, overrides } = manifest;
  const pages = [
    ...["README.md", "AGENTS.md", "CONTRIBUTING.md", "scripts/README.md", "bench/RESULTS.md"],
    ...["docs", "examples"].flatMap((folder) => filesIn(folder, ".md")),
  ];
  const named = pages.flatMap((page) =>
    [...textOf(page).matchAll(/npm run ([\w:]+)/g)].map(([, name = ""]) => name),
  );
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
  const contributing = textOf("CONTRIBUTING.md");
  const told = (name: string) =>
    new RegExp(`^\\| .*\`(npm (run )?)?${name}( [^\`]*)?\``, "m").test(contributing);
  expect([...Object.keys(scripts), ...Object.keys(overrides)].filter((name) => !told(name))).toEqual([]);
});

test("relative links lead to what is there", () => {
  const texts = [
    ..."README.md AGENTS.md CONTRIBUTING.md SECURITY.md scripts/README.md bench/RESULTS.md".split(" "),
    ...["docs", "examples"].flatMap((folder) => filesIn(folder, ".md")),
  ];
  const broken = texts.flatMap((path) =>
    [...textOf(path).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]*))?\)/g)]
      .filter(([, target = "", heading]) => {
        const file = target === "" ? join(repository, path) : join(repository, dirname(path), target);
        return !existsSync(file) || (heading !== undefined && !headingsOf(file).includes(heading));
      })
      .map(([link]) => `${path}: ${link}`),
  );
  expect(broken).toEqual([]);
});

/** The anchors that a Markdown file has on GitHub. */
function headingsOf(file: string): string[] {
  return [...readFileSync(file, "utf8").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

for (const { place, file, isTest } of samples) {
  const load = () => import(/* @vite-ignore */ pathToFileURL(file).href);

  if (isTest) {
    describe(`the sample at ${place}`, load);
    continue;
  }

  test(`the sample at ${place} runs`, async () => {
    const mock = createMock();
    const { apiKey, baseUrl } = mock.clientOptions;
    vi.stubEnv("SCREENSHOT_SETS_API_KEY", apiKey);
    vi.stubEnv("SCREENSHOT_SETS_BASE_URL", baseUrl);
    vi.stubEnv("SCREENSHOT_SETS_LOG", undefined);
    vi.spyOn(console, "log").mockReturnValue();
    const warnings = [vi.spyOn(console, "warn"), vi.spyOn(console, "error")];
    // Samples may serve a mock of their own on this machine; nothing leaves it.
    const ownMachine = http.all(/^http:\/\/127\.0\.0\.1:/, () => passthrough());
    const server = setupServer(...handlers(mock), ownMachine);
    server.listen(listenOptions);
    // Where a sample may write its files.
    const before = process.cwd();
    process.chdir(folder);
    try {
      await load();
      // Who does everything right is told nothing, but that slides of a sample are not as the document describes slides.
      const told = warnings.flatMap(({ mock }) => mock.calls).map((call) => inspect(call));
      expect(told.filter((line) => !/answer differs from the document.*result\.slides/s.test(line))).toEqual(
        [],
      );
    } finally {
      process.chdir(before);
      server.close();
      vi.unstubAllEnvs();
      vi.restoreAllMocks();
    }
  });
}

test("the README's batch, run twice, creates one app and pays for each set once", async () => {
  const { mock, runSample } = scene('existsSync("app.json")');
  for (let runs = 0; runs < 2; runs++) await runSample();
  expect(mock.requests({ operation: "createApp" })).toHaveLength(1);
  expect(mock.credits.used).toBe(2 * setCost);
});

test("the batch that a signal stops keeps what it has paid for, and a second run goes on with it", async () => {
  const { mock, printed, runSample } = scene("signal: stop.signal");
  await new ScreenshotSets(mock.clientOptions).apps.create({ iosUrl: "https://apps.apple.com/us/app/a/id1" });
  mock.fault({ latencyMs: 200 }, { operation: "createScreenshots", when: "after" });
  const run = runSample();
  await expect.poll(() => mock.credits.used).toBe(setCost);
  process.emit("SIGINT");
  await run;
  await runSample();
  expect(printed.mock.calls.map(([, status]) => status)).toEqual(["waiting", "succeeded"]);
  expect(mock.credits.used).toBe(setCost);
});

/** The sample that contains these words, in an empty folder, on a mock of its own. */
function scene(words: string) {
  const mock = createMock({ allowance: 1_000 });
  const { apiKey, baseUrl } = mock.clientOptions;
  vi.stubEnv("SCREENSHOT_SETS_API_KEY", apiKey);
  vi.stubEnv("SCREENSHOT_SETS_BASE_URL", baseUrl);
  const printed = vi.spyOn(console, "log").mockReturnValue();
  const server = setupServer(...handlers(mock));
  server.listen(listenOptions);
  onTestFinished(() => server.close());
  const before = process.cwd();
  process.chdir(temporaryFolder());
  onTestFinished(() => process.chdir(before));
  const { file = "" } = samples.find(({ text }) => text.includes(words)) ?? {};
  let runs = 0;
  const runSample = () => import(/* @vite-ignore */ `${pathToFileURL(file).href}?run=${runs++}`);
  return { mock, printed, runSample };
}

/** The exports of the sample that contains these words. */
function exportsOf(words: string) {
  const sample = samples.find(({ text }) => text.includes(words));
  return import(/* @vite-ignore */ pathToFileURL(sample?.file ?? words).href);
}

test("the sample for forms makes a number of a count, and leaves out what is empty", async () => {
  const { checkForm } = await exportsOf("form: FormData");
  const check = (count: string) => {
    const form = new FormData();
    const fields = { appId: "app_1", device: devices[0], count, narrativeId: "" };
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    return checkForm(form);
  };
  const set = { appId: "app_1", device: devices[0] };
  expect(check("3")).toEqual({ value: { ...set, count: 3 } });
  expect(check("")).toEqual({ value: { ...set, count: defaultCount } });
  expect(check("three")).toMatchObject({ issues: [{ path: ["count"] }] });
});

test("the lines for libraries that take schemas are lines that `npm run test:compat` runs", () => {
  const blocks = [
    ...textOf("docs/faq.md").matchAll(
      /^```typescript\n((?:\/\/ Nest|\/\/ npm install @apidevtools).+?)^```$/gms,
    ),
  ];
  expect(blocks).toHaveLength(2);
  const told = blocks.flatMap(([, text = ""]) =>
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "" && !line.startsWith("//")),
  );
  const run = [".ts", ".tsx"]
    .flatMap((end) => filesIn("test/compat/projects/forms", end))
    .flatMap((file) =>
      textOf(file)
        .split("\n")
        .map((line) => line.trim()),
    );
  expect(told.filter((line) => !run.includes(line))).toEqual([]);
});

describe("the spans of docs/observability.md", () => {
  const exporter = new InMemorySpanExporter();
  const tracing = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(tracing);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  afterEach(() => exporter.reset());
  afterAll(() => {
    for (const api of [trace, context, propagation]) api.disable();
  });

  test("tell what a set cost, how it proceeded, and each answer or the error", async () => {
    const { planSet } = await exportsOf("startActiveSpan");
    const mock = createMock({ allowance: setCost });
    const client = new ScreenshotSets(mock.clientOptions);
    const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });

    const { id: jobId } = await planSet(client, { appId, device: "iphone-69" });
    await expect(planSet(client, { appId, device: "iphone-69" })).rejects.toThrow("402");

    const [planned, failed] = exporter.getFinishedSpans();
    expect(planned).toMatchObject({ name: "plan screenshot set", attributes: { jobId, cost: setCost } });
    const names = planned?.events.map(({ name, attributes }) => attributes?.operation ?? name);
    expect(names).toEqual([
      ...["createScreenshots", "getJob", "queued", "getJob", "running", "getJob", "succeeded"],
    ]);
    expect(failed?.status.code).toBe(SpanStatusCode.ERROR);
    const exception = failed?.events.find(({ name }) => name === "exception");
    expect(exception?.attributes).toMatchObject({ "exception.type": "PaymentRequiredError" });
  });

  test("are the parents of polls by their `traceparent`", async () => {
    const { waitInTrace } = await exportsOf("propagation.inject");
    const mock = createMock();
    const { fetch } = mock.clientOptions;
    const sent: (string | null)[] = [];
    const client = new ScreenshotSets({
      ...mock.clientOptions,
      fetch: (...request) => {
        sent.push(new Request(...request).headers.get("traceparent"));
        return fetch(...request);
      },
    });
    const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
    const { jobId } = await client.screenshots.create({ appId, device: "iphone-69" });

    const { traceId } = await trace.getTracer("test").startActiveSpan("parent", async (span) => {
      await waitInTrace(client, jobId);
      return span.spanContext();
    });

    expect(sent.slice(2)).toEqual(Array(3).fill(expect.stringContaining(traceId)));
  });
});
