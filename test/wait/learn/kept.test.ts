import fc from "fast-check";
import { ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { describe, expect, test, vi } from "vitest";
import { about, type Durations, distributions } from "../../../bench/waiting/durations.js";
import { geometricMean } from "../../../bench/waiting/outcome.js";
import { pace } from "../../../src/wait/pace.js";
import { PlansByKind } from "../../../src/wait/plans-by-kind.js";
import { mean, watcher } from "../../helpers/simulated-jobs.js";

const limits = { minDelayMs: 200, maxDelayMs: 30_000 };
const phone = { appId: "app_1", device: "iphone-69", count: 5 } as const;

/** A client without a service, whose log is kept. */
function start(learned?: unknown) {
  const warn = vi.fn();
  const logger = { debug: () => {}, info: () => {}, warn, error: () => {} };
  const client = new ScreenshotSets({ ...createMock().clientOptions, learned: learned as string, logger });
  return { client, warn };
}

/** What a client keeps that saw sets of a phone end, about as long after their acceptance as said. */
function learnedFrom(durationsMs: number[], learned = ""): string {
  const { client } = start(learned);
  for (const durationMs of durationsMs) client[pace].learn(phone, 0.9 * durationMs, durationMs);
  return client.learned();
}

const tens = Array.from({ length: 20 }, (_, job) => 10_000 + 30 * job);
const textOfTens = learnedFrom(tens);

test("a client that starts with what another learned knows at once when its sets end", async () => {
  const mock = createMock({ lifecycle: { queued: 0, running: 10_000, unit: "ms" } });
  const earlier = new ScreenshotSets(mock.clientOptions);
  const { appId } = await earlier.apps.create({
    iosUrl: "https://apps.apple.com/us/app/example/id1234567890",
  });
  for (let set = 0; set < 9; set++) await earlier.screenshots.createAndWait({ ...phone, appId });
  const before = mock.requests({ operation: "getJob" }).length;
  const learned = earlier.learned();
  await new ScreenshotSets({ ...mock.clientOptions, learned }).screenshots.createAndWait({ ...phone, appId });
  expect(mock.requests({ operation: "getJob" }).length - before).toBeLessThanOrEqual(4);
});

test("polls × lateness is at most 0.35 over seven distributions of durations from the first job on", () => {
  const product = (durations: Durations, seed: number) => {
    const earlier = new PlansByKind();
    watcher(seed, earlier.of("k")).see(durations, 100);
    const kept = earlier.keep();
    const first = (job: number) => {
      const plans = new PlansByKind();
      plans.takeBack(kept);
      return watcher(1_000 * seed + job, plans.of("k")).see(durations, 1);
    };
    const { polls, lateness } = mean(Array.from({ length: 15 }, (_, job) => first(job)));
    return polls * lateness;
  };
  const products = Object.values(distributions).map((durations) =>
    geometricMean([1, 2].map((seed) => product(durations, seed))),
  );
  expect(geometricMean(products)).toBeLessThan(0.35);
});

test("what was kept is taken back whole, and waits for jobs created elsewhere with it", () => {
  const plans = new PlansByKind();
  watcher(1, plans.of("a")).see(about(10_000), 30);
  watcher(2, plans.of("b")).see(about(60_000), 300);
  watcher(3, plans.of(undefined)).see(about(2_000), 10);
  const later = new PlansByKind();
  expect(later.takeBack(plans.keep())).toBe(true);
  expect(later.keep()).toBe(plans.keep());
  expect(later.of(undefined).delayMs(0, 1, limits)).toBeGreaterThan(1_500);
});

test("clients of one job each, where each starts with what the one before learned, find out that jobs are shorter now", async () => {
  const mock = createMock({ allowance: 100_000 });
  let learned = "";
  const run = async (running: number) => {
    const client = new ScreenshotSets({ ...mock.clientOptions, learned });
    const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
    mock.nextJob({ outcome: "succeeded", lifecycle: { queued: 0, running, unit: "ms" } });
    const before = mock.clock.now();
    await client.screenshots.createAndWait({ ...phone, appId });
    learned = client.learned();
    return mock.clock.now() - before - running;
  };
  for (let job = 0; job < 60; job++) await run(8_000 + job);
  const late: number[] = [];
  for (let job = 0; job < 12; job++) late.push(await run(1_000 + job));
  expect(late.filter((ms) => ms > 5_000).length).toBeLessThanOrEqual(5);
  expect(Math.max(...late.slice(6))).toBeLessThan(2_000);
});

test("a client that learned nothing keeps nothing, and starts with nothing without a warning", () => {
  const { client, warn } = start("");
  expect(client.learned()).toBe("");
  expect(warn).not.toHaveBeenCalled();
});

test("it takes at most 64 kB, whatever was waited for", () => {
  const { client } = start();
  for (let kind = 0; kind < 200; kind++) {
    const params = { ...phone, narrativeId: `narrative-${kind}-${"é".repeat(2_000)}` };
    for (let job = 0; job < 130; job++) client[pace].learn(params, 3e6, 4e6);
  }
  expect(Buffer.byteLength(client.learned())).toBeGreaterThan(50_000);
  expect(Buffer.byteLength(client.learned())).toBeLessThanOrEqual(64_000);
});

test("it holds durations, and neither keys nor ids nor names", () => {
  const { client } = start();
  client[pace].learn({ ...phone, narrativeId: "secret-launch" }, 900, 1_000);
  client[pace].learn(phone, 900, 1_000);
  expect(client.learned()).toMatch(/^(1 (\*|[0-9a-z]{1,7}) ([0-9a-z]{4})+\n){3}$/);
});

describe("of texts of which one follows the other,", () => {
  test("the jobs are taken back together", () => {
    const sixties = learnedFrom(tens.map((ms) => 6 * ms));
    for (const text of [textOfTens + sixties, `${sixties.trimEnd()}\r\n${textOfTens}`]) {
      const { client, warn } = start(text);
      expect(client.learned().length).toBe(textOfTens.length + 2 * 4 * tens.length);
      expect(warn).not.toHaveBeenCalled();
    }
  });

  test("a job that both hold counts once, and jobs alike that one client saw count each", () => {
    const one = learnedFrom([20_000, 5_000, 5_000], textOfTens);
    const other = learnedFrom([5_000, 30_000], textOfTens);
    const both = learnedFrom([20_000, 5_000, 5_000, 30_000], textOfTens);
    expect(start(one + other).client.learned()).toBe(both);
    expect(start(one + one).client.learned()).toBe(one);
  });
});

describe("what makes no sense is ignored with a warning", () => {
  const [line = ""] = textOfTens.split("\n");
  test.each<[string, unknown]>([
    ["of another type", 5],
    ["of a newer version", line.replace("1", "2")],
    ["cut off", line.slice(0, -1)],
    ["of too many jobs", `1 a ${"00".repeat(1_000)}`],
    ["of durations that there are not", "1 a zzzz"],
    ["that ends before it begins", "1 a 0500"],
    ["of a kind that is none", "1 __proto__ 0000"],
    ["in other letters", line.toUpperCase()],
  ])("%s", (_, learned) => {
    const { client, warn } = start(learned);
    expect(client.learned()).toBe("");
    expect(warn.mock.calls).toEqual([["Ignored what makes no sense in the option learned", {}]]);
  });

  test("and what stands beside it is used", () => {
    const { client, warn } = start(`2 new 0000 0000\n${textOfTens}{"and": "more"}`);
    expect(client.learned()).toBe(textOfTens);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  test("and so is what is longer than some texts together", () => {
    const rest = "x".repeat(500_000);
    expect(start(textOfTens + rest).client.learned()).toBe(textOfTens);
    expect(start(rest + textOfTens).client.learned()).toBe("");
  });

  test("whatever it is, and no delay is outside of the limits", () => {
    const digits = fc.stringMatching(/^[0-9a-r]{4,40}$/);
    const text = fc.array(
      fc.tuple(fc.constantFrom("1 * ", "1 - ", "1 a ", "3 ", ""), fc.oneof(digits, fc.string())),
    );
    fc.assert(
      fc.property(text, fc.double({ min: 0, max: 1e7, noNaN: true }), (lines, elapsedMs) => {
        const { client } = start(lines.map((parts) => parts.join("")).join("\n"));
        const delayMs = client[pace].delayMs(phone, elapsedMs, limits);
        expect(delayMs).toBeGreaterThanOrEqual(200);
        expect(delayMs).toBeLessThanOrEqual(30_000);
        expect(start(client.learned()).warn).not.toHaveBeenCalled();
      }),
    );
  });
});

test("a mock that is reset leaves what its client was started with", async () => {
  const mock = createMock();
  const client = new ScreenshotSets({ ...mock.clientOptions, learned: textOfTens });
  client[pace].learn(phone, 1_000, 2_000);
  mock.reset();
  await client.waitForJob("job_1").catch(() => {});
  expect(client.learned()).toBe(textOfTens);
});

test("what sets taught that are waited for elsewhere is used by waits, and a count that is left out is the default", () => {
  const { client } = start();
  const { count: _, ...withoutCount } = phone;
  for (const durationMs of tens) client[pace].learn(withoutCount, 0.9 * durationMs, durationMs);
  expect(client.learned()).toBe(textOfTens);
  expect(client[pace].delayMs(withoutCount, 0, limits)).toBeGreaterThan(4_000);
});
