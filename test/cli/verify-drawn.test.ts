import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { setCost } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { afterAll, expect, test, vi } from "vitest";
import { verify } from "../../src/cli/commands/verify.js";
import { drawnService, played, program, type Service } from "../helpers/drawn-service.js";

const folder = mkdtempSync(join(tmpdir(), "screenshot-sets-verify-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "recorded.json");
const { clock, baseUrl } = createMock().clientOptions;
const apiKey = "right-key";

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

/** What refuses a request, and not the key; an outage and a limit of requests have other statuses. */
const statuses = range(400, 500).filter((status) => ![401, 403, 408, 421, 429].includes(status));

/** As drawn, but it looks at the key before the operation, and refuses what is asked for what it is. */
function asServices({ refusals, set }: Service): Service {
  const all = Object.entries(refusals).map(([name, refusal]) => {
    const keyless = name.replace(/^create\w+(?= (no|wrong) key)/, "getJob");
    const { status, ...content } = refusals[keyless] ?? refusal;
    const ofKey = [401, 403, ...statuses];
    const own = name.endsWith(" key") ? ofKey : statuses;
    return [name, { status: own[status % own.length], ...content }];
  });
  // A job of an unknown status has ended if it has an error.
  return { refusals: Object.fromEntries(all), set: { ...set, error: set.error ?? "no reason" } };
}

test("a program sees on a mock of what `verify` wrote what it saw on the service, whatever that was", async () => {
  vi.stubEnv("SCREENSHOT_SETS_API_KEY", apiKey);
  vi.stubEnv("SCREENSHOT_SETS_BASE_URL", baseUrl);
  const printed: string[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, "write").mockImplementation((text, done?: unknown) => {
      printed.push(String(text));
      if (typeof done === "function") done();
      return true;
    });
  }
  const runs = fc.asyncProperty(drawnService.map(asServices), async (service) => {
    const play = played(service);
    let acceptances = 0;
    vi.stubGlobal("fetch", async (...request: Parameters<typeof fetch>) => {
      const response = await play(...request);
      if (response.status === 201) acceptances++;
      return response;
    });
    await verify(["--spend", String(setCost), "--app-id", "app_1", "--out", file, "--json"]);
    vi.unstubAllGlobals();
    expect(acceptances).toBe(1);

    const mock = createMock({ recorded: JSON.parse(readFileSync(file, "utf8")), strict: true });
    const onService = await program({ apiKey, baseUrl, clock, fetch: played(service) });
    const onMock = await program(mock.clientOptions);

    expect(onMock).toEqual(onService);
    expect(mock.requests().flatMap(({ guesses }) => guesses)).toEqual([]);
  });
  await fc.assert(runs, { numRuns: 200 });
  expect(printed.join("")).not.toContain(apiKey);
}, 300_000);
