import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setCost } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { verify } from "../../src/cli/commands/verify.js";
import { createApp, createScreenshots } from "../../src/generated/operations.js";
import { drawn } from "../helpers/draws.js";
import { apiKey, freeRows, type StandIn, standIns } from "../helpers/stand-ins.js";
import { temporaryFolder } from "../helpers/temporary-folder.js";
import { catchOutput, lastLine } from "./run.js";

// The document is read from the disk, which takes no fake time.
beforeAll(() => createMock().fetch("https://api.screenshot-sets.test/api/v1/public/openapi.json"));
beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

interface Row {
  what: string;
  service: string;
  verdict: string;
}

/** Runs `verify` against a stand-in, in this process and on fake timers. */
async function verified({ plays, answers, isPaid, recorded }: StandIn) {
  const mock = createMock({ apiKey, ...plays });
  const counts: Record<string, number> = {};
  let passedAt = Number.NEGATIVE_INFINITY;
  vi.stubEnv("SCREENSHOT_SETS_API_KEY", apiKey);
  vi.stubEnv("SCREENSHOT_SETS_BASE_URL", mock.clientOptions.baseUrl);
  const posted: string[] = [];
  vi.stubGlobal("fetch", async (...[url, init]: Parameters<typeof fetch>) => {
    const name = new URL(String(url)).pathname.split("/")[5] ?? "";
    const operation =
      { apps: createApp.name, screenshots: createScreenshots.name, jobs: "getJob" }[name] ?? "document";
    const index = counts[operation] ?? 0;
    counts[operation] = index + 1;
    if (init?.method === "POST") posted.push(`${operation} ${init.body}`);
    const passOn = () => {
      passedAt = Date.now();
      return mock.fetch(url, init);
    };
    const asked = {
      operation,
      index,
      headers: new Headers(init?.headers),
      sinceLastMs: Date.now() - passedAt,
    };
    return answers ? answers(asked, passOn) : passOn();
  });

  const printed = catchOutput();
  const folder = temporaryFolder();
  const [out, earlier] = ["out.json", "earlier.json"].map((name) => join(folder, name)) as [string, string];
  writeFileSync(out, "an earlier recording");
  writeFileSync(earlier, JSON.stringify(recorded ?? null));
  const flags = ["--json", "--out", out];
  if (recorded) flags.push("--recorded", earlier);
  if (isPaid) flags.push("--spend", String(setCost), "--ios-url", "https://apps.apple.com/app/id1");
  let exitCode: number | undefined;
  void verify(flags).then((code) => {
    exitCode = code;
  });
  while (exitCode === undefined) await vi.advanceTimersByTimeAsync(250);
  vi.restoreAllMocks();
  const rows: Row[] = JSON.parse(printed.stdout);
  return { ...printed, exitCode, rows, posted, written: readFileSync(out, "utf8") };
}

test.each(drawn(Object.entries(standIns)))("a service that %s is told as that", async (_, standIn) => {
  const { exitCode, rows, posted, stdout, stderr, written } = await verified(standIn);
  const verdicts = Object.fromEntries(rows.map(({ what, verdict }) => [what, verdict]));
  expect(verdicts).toMatchObject(standIn.rows ?? {});
  const shown = Object.fromEntries(rows.map(({ what, service }) => [what, service]));
  expect(shown).toMatchObject(standIn.shows ?? {});
  if (standIn.first) expect(rows[0]?.what).toBe(standIn.first);
  const others = rows.filter(({ what }) => standIn.rows?.[what] === undefined);
  expect(others.filter(({ verdict }) => /differs|otherwise/.test(verdict))).toEqual([]);
  const untried = others.filter(({ what, verdict }) => freeRows.includes(what) && verdict === "not tried");
  expect(untried).toEqual([]);
  expect(exitCode).toBe(standIn.exits);
  expect(stderr).toMatch(standIn.says ?? /^/);
  if (exitCode === 4) expect(lastLine(stderr)).toMatch(standIn.says ?? /$^/);

  // What is free could not be charged, and one set is ordered at the most.
  const created = posted.filter((request) => !request.endsWith(" {}"));
  const ordered = created.filter((request) => /^createScreenshots (?!.*verify-no-such-app)/.test(request));
  expect(standIn.isPaid ? ordered.slice(1) : created).toEqual([]);
  // What does not take the key is no service: it gets no create, and does not replace an earlier recording.
  const isService = verdicts["the key in Authorization"] === "as documented";
  if (isService) createMock({ recorded: JSON.parse(written) });
  else expect({ posted, written }).toEqual({ posted: [], written: "an earlier recording" });
  expect(stdout + stderr + written).not.toContain(apiKey);
});
