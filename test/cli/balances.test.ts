import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ScreenshotSets, setCost } from "screenshot-sets";
import { expect, test } from "vitest";
import { balanceNotes } from "../../src/cli/balances.js";
import { drawnAccount } from "../helpers/drawn-account.js";
import { draws } from "../helpers/draws.js";
import { temporaryFolder } from "../helpers/temporary-folder.js";
import { run, serve } from "./run.js";

const set = { appId: "app_1", device: "iphone-69" };

/** What becomes of each set's create, in the order of the file; its answer is lost where it says so. */
type Fate = "answered" | "lost, charged" | "lost, not charged" | "without credits" | "after a top-up";

/** Runs a batch that gets one more set each time: a set whose answer is lost ends a run. Gives the end of the last run. */
async function planned(fates: Fate[]) {
  const { mock, environment } = await serve({ allowance: 1_000 });
  await new ScreenshotSets(mock.clientOptions).apps.create({
    iosUrl: "https://apps.apple.com/us/app/example/id1",
  });
  const file = join(temporaryFolder(), "sets.json");
  const sets: Record<string, object> = {};
  let stderr = "";
  const operation = "createScreenshots";
  for (const [index, fate] of fates.entries()) {
    sets[`set ${index + 1}`] = set;
    writeFileSync(file, JSON.stringify({ sets }));
    if (fate === "lost, charged") mock.fault("reset", { operation, when: "after" });
    if (fate === "lost, not charged") mock.fault("reset", { operation });
    if (fate === "without credits")
      mock.fault({ status: 201, body: { jobId: "job_1" } }, { operation, when: "after" });
    if (fate === "after a top-up") mock.credits.set(1_000);
    stderr = (await run(["batch", file], environment)).stderr;
  }
  return stderr.split("\n");
}

const unseen = (last: string) => `What was charged after ${last}, the last acceptance, cannot be seen.`;
const unknown = "What the account had before the first acceptance is not known.";
const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;

test.each<[string, Fate[], string[]]>([
  [
    "where the account fell by more than the acceptances cost",
    ["answered", "lost, charged", "lost, not charged", "answered", "lost, not charged", "answered"],
    [
      `The account fell by ${2 * setCost} between job_1 (990 left) and job_3 (970 left), of which job_3 cost ${setCost}.`,
      "Whatever else uses the account shows in these numbers too.",
      unseen("job_4"),
    ],
  ],
  [
    "that it fell by what they cost",
    ["answered", "lost, not charged", "answered"],
    [
      "Between job_1 (990 left) and job_2 (980 left), the account fell by what the acceptances cost.",
      unseen("job_2"),
    ],
  ],
  [
    "that one acceptance has nothing to be compared with",
    ["lost, charged", "answered"],
    ["There is no other acceptance to compare job_2 (980 left) with.", unseen("job_2"), unknown],
  ],
  [
    "that the balance before the first acceptance is not known, if one began earlier",
    ["lost, charged", "answered", "answered"],
    [
      "Between job_2 (980 left) and job_3 (970 left), the account fell by what the acceptances cost.",
      unseen("job_3"),
      unknown,
    ],
  ],
  [
    "that nothing was accepted",
    ["lost, charged"],
    ["No set was accepted, so there are no balances to compare."],
  ],
  [
    "that what came before a rise of the credits is not compared",
    ["answered", "lost, charged", "after a top-up"],
    [
      "What came before job_3 is not compared: it left 990 credits, and job_1 before it 990.",
      "There is no other acceptance to compare job_3 (990 left) with.",
      unseen("job_3"),
    ],
  ],
  [
    "that an acceptance did not name its credits",
    ["without credits", "lost, charged", "answered"],
    ["The acceptance of job_1 did not name its credits, so no balances are compared.", unseen("job_3")],
  ],
])("of uncertain sets, a batch tells when each began and %s", async (_, fates, told) => {
  const lines = await planned(fates);
  const lost = fates.flatMap((fate, index) => (fate.startsWith("lost") ? [`set ${index + 1}`] : []));
  const from = lines.findIndex((line) => / began at /.test(line));
  expect(lines.slice(from, from + lost.length)).toEqual(
    lost.map((key) => expect.stringMatching(new RegExp(`^${key} began at ${time}\\.$`))),
  );
  expect(lines.slice(from + lost.length, from + lost.length + told.length)).toEqual(told);
});

test("every number told of a drawn account is true, and no set is said to be charged or not", async () => {
  const heads = new Set<string>();
  for (let draw = 0; draw < draws(4_000); draw++) {
    const { entries, answers, began } = drawnAccount();
    const notes = await balanceNotes(entries);
    for (const [key, at] of began) expect(notes).toContain(`${key} began at ${new Date(at).toISOString()}.`);
    for (const note of notes) {
      heads.add(note.replaceAll(/\d+/g, "1"));
      for (const [, jobId = "", left] of note.matchAll(/(job_\d+) \((\d+) left\)/g))
        expect(answers.get(jobId)?.remaining).toBe(Number(left));
      const [, fell, from = "", to = "", cost] =
        /fell by (\d+) between (job_\d+) .* and (job_\d+) .* cost (\d+)\.$/.exec(note) ?? [];
      if (fell !== undefined) {
        const [before, after] = [answers.get(from), answers.get(to)];
        expect(Number(before?.remaining) - Number(after?.remaining)).toBe(Number(fell));
        expect(after?.cost).toBe(Number(cost));
        expect(Number(fell)).toBeGreaterThan(Number(cost));
      }
    }
    const said = notes.filter((note) => !note.startsWith("What was charged after")).join(" ");
    expect(said).not.toMatch(/\b(was|were|not|none|been) charged/);
  }
  // Each sort of sentence was drawn.
  expect(heads.size).toBeGreaterThan(6);
});
