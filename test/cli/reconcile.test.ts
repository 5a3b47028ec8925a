import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setCost } from "screenshot-sets";
import { beforeEach, expect, test } from "vitest";
import { run, serve } from "./run.js";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cli-reconcile-"));
  file = join(folder, "sets.json");
  return () => rmSync(folder, { recursive: true, force: true });
});

/** What becomes of each set's create, in the order of the file; its answer is lost where it says so. */
type Fate = "answered" | "lost, charged" | "lost, not charged";

/** Runs a batch as often as there are sets, one after another: a set whose answer is lost ends a run. */
async function planned(fates: Fate[]) {
  const { mock, environment } = await serve({ allowance: 1_000 });
  const sets = Object.fromEntries(
    fates.map((_, index) => [`set ${index + 1}`, { appId: "", device: "iphone-69" }]),
  );
  const { appId } = (await await fetch(`${environment.SCREENSHOT_SETS_BASE_URL}/public/v1/apps`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": environment.SCREENSHOT_SETS_API_KEY as string,
    },
    body: JSON.stringify({ iosUrl: "https://apps.apple.com/us/app/example/id1" }),
  }).then((response) => response.json())) as { appId: string };
  for (const set of Object.values(sets)) set.appId = appId;
  let result: Awaited<ReturnType<typeof run>> | undefined;
  for (const [index, fate] of fates.entries()) {
    writeFileSync(
      file,
      JSON.stringify({ sets: Object.fromEntries(Object.entries(sets).slice(0, index + 1)) }),
    );
    if (fate !== "answered") {
      const when = fate === "lost, charged" ? "after" : "before";
      mock.fault("reset", { operation: "createScreenshots", when });
    }
    result = await run(["batch", file], environment);
  }
  return { ...result, mock } as NonNullable<typeof result> & { mock: typeof mock };
}

test.each<[string, Fate[], string[]]>([
  [
    "tells how many between two acceptances were charged at most",
    ["answered", "lost, charged", "lost, not charged", "answered", "lost, not charged", "answered"],
    [
      "Of 2 uncertain sets between job_1 and job_3 (set 2, set 3), at most 1 was charged.",
      "Of 1 uncertain set between job_3 and job_4 (set 5), none was charged.",
      "This holds if nobody else uses the account's credits.",
    ],
  ],
  [
    "says that it can't tell what was begun before the first acceptance, or after the last",
    ["lost, charged", "answered", "lost, not charged"],
    ["It cannot be told of set 1, set 3: that takes an acceptance before it, and one after it."],
  ],
])("a batch with uncertain sets %s", async (_, fates, told) => {
  const { code, stderr, mock } = await planned(fates);
  const lines = stderr.split("\n");
  expect(code).toBe(3);
  expect(
    lines.filter((line) => /uncertain sets? (between|cannot)|^(This holds|It cannot)/.test(line)),
  ).toEqual(told);
  const charged = fates.filter((fate) => fate !== "lost, not charged").length;
  expect(mock.credits.used).toBe(charged * setCost);
});

test("an acceptance without credits, and credits that rise in time, leave uncertain sets untold", async () => {
  const { mock, environment } = await serve({ allowance: 1_000 });
  const set = { appId: "app_1", device: "iphone-69" };
  writeFileSync(file, JSON.stringify({ sets: { a: set, b: set, c: set } }));
  await run(
    ["create", "--ios-url", "https://apps.apple.com/us/app/example/id1", "--device", "iphone-69"],
    environment,
  );
  const body = { jobId: "job_1" };
  mock.fault({ status: 201, body }, { operation: "createScreenshots", when: "after" });
  mock.fault("reset", { operation: "createScreenshots" });
  const { stderr } = await run(["batch", file, "--concurrency", "1"], environment);
  expect(stderr).toContain("cannot be told from the state: an acceptance did not name its credits.");
});
