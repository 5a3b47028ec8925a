import { expect, onTestFinished, test, vi } from "vitest";
import { loadOwnModules } from "../helpers/own-modules.js";
import { catchOutput } from "./run.js";

const samples = "../../src/generated/samples.js";

type Told = { message: string; code: string };
const problem = { mediaType: "application/json", body: ({ message }: Told) => ({ detail: message, id: 7 }) };

/** What `verify` says of refusals, where the document describes some, if these are the answers of the service. */
async function verdictsOn(answers: Record<string, [status: number, body: unknown]>) {
  loadOwnModules();
  const errorAnswers = {
    createApp: { 400: {}, 422: {} },
    createScreenshots: { 422: problem },
    getJob: {},
  };
  vi.doMock(samples, async (original) => ({ ...(await original<object>()), errorAnswers }));
  onTestFinished(() => vi.doUnmock(samples));
  const { createMock } = await import("screenshot-sets/mock");
  const { verify } = await import("../../src/cli/commands/verify.js");
  const mock = createMock();
  const { apiKey, baseUrl } = mock.clientOptions;
  vi.stubEnv("SCREENSHOT_SETS_API_KEY", apiKey);
  vi.stubEnv("SCREENSHOT_SETS_BASE_URL", baseUrl);
  vi.stubGlobal("fetch", async (...[url, init]: Parameters<typeof fetch>) => {
    const [status, body] = answers[String(url).split("/").at(-1) ?? ""] ?? [];
    return status ? Response.json(body, { status }) : mock.fetch(url, init);
  });
  const printed = catchOutput();
  const exitCode = await verify(["--json"]);
  const rows = JSON.parse(printed.stdout).filter(({ what }: { what: string }) =>
    /^a(n app|n unknown job| set) ?/.test(what),
  );
  return { exitCode, rows: Object.fromEntries(rows.map((row: { what: string }) => [row.what, row])) };
}

test.each<[Parameters<typeof verdictsOn>[0], verdicts: object, exitCode: number]>([
  [
    {},
    { "a set {}": "as documented", "an app {}": "the mock is right", "an unknown job": "the mock is right" },
    0,
  ],
  [
    { screenshots: [422, { detail: "", id: 1, hint: "" }], apps: [422, {}] },
    { "a set {}": "as documented", "an app {}": "the mock guesses otherwise" },
    0,
  ],
  [{ screenshots: [422, { message: "" }] }, { "a set {}": "differs from the document" }, 0],
  [{ screenshots: [400, { detail: "", id: 1 }] }, { "a set {}": "differs from the document" }, 1],
  [{ apps: [409, {}] }, { "an app {}": "differs from the document" }, 1],
])("compares refusals %j with the statuses and the fields that the document says", async (...row) => {
  const [answers, verdicts, exitCode] = row;
  const found = await verdictsOn(answers);

  const told = Object.entries(verdicts).map(([what, verdict]) => [what, { verdict }]);
  expect(found.rows).toMatchObject(Object.fromEntries(told));
  expect(found.rows["a set {}"].document).toBe("422 { detail, id: number }");
  expect(found.exitCode).toBe(exitCode);
});
