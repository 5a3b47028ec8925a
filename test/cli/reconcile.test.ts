import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ScreenshotSets, setCost } from "screenshot-sets";
import { expect, test } from "vitest";
import { temporaryFolder } from "../helpers/temporary-folder.js";
import { run, serve } from "./run.js";

const set = { appId: "app_1", device: "iphone-69" };

/** A service with an app, and the file of a batch. */
async function served() {
  const { mock, environment } = await serve({ allowance: 1_000 });
  await new ScreenshotSets(mock.clientOptions).apps.create({
    iosUrl: "https://apps.apple.com/us/app/example/id1",
  });
  const file = join(temporaryFolder(), "sets.json");
  return { mock, environment, file };
}

/** What becomes of each set's create, in the order of the file; its answer is lost where it says so. */
type Fate = "answered" | "lost, charged" | "lost, not charged";

/** Runs a batch that gets one more set each time: a set whose answer is lost ends a run. Gives the end of the last run. */
async function planned(fates: Fate[]) {
  const { mock, environment, file } = await served();
  const sets: Record<string, object> = {};
  let ended = { code: null as number | null, stderr: "" };
  for (const [index, fate] of fates.entries()) {
    sets[`set ${index + 1}`] = set;
    writeFileSync(file, JSON.stringify({ sets }));
    const when = fate === "lost, charged" ? "after" : "before";
    if (fate !== "answered") mock.fault("reset", { operation: "createScreenshots", when });
    ended = await run(["batch", file], environment);
  }
  return { ...ended, mock };
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
  const { mock, environment, file } = await served();
  writeFileSync(file, JSON.stringify({ sets: { a: set, b: set, c: set } }));
  const body = { jobId: "job_1" };
  mock.fault({ status: 201, body }, { operation: "createScreenshots", when: "after" });
  mock.fault("reset", { operation: "createScreenshots" });
  const { stderr } = await run(["batch", file, "--concurrency", "1"], environment);
  expect(stderr).toContain("cannot be told from the state: an acceptance did not name its credits.");
});
