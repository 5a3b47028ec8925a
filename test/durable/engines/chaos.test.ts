import { expect, inject, vi } from "vitest";
import { randomFrom } from "../../../bench/waiting/random.js";
import { EngineScene } from "../../helpers/engine-scene.js";
import { engines, engineTest } from "../../helpers/engines.js";
import type { Engines } from "../../helpers/postgres.js";
import { chargesByApp } from "../../helpers/queue-scene.js";

// The samples of `examples/engines`, on processes that are killed and a database whose connections are cut. `FIGURES=1`
// takes more sets, and tells how fast they were.

const tellsFigures = Boolean(process.env.FIGURES);
const [countOfSets, deeds] = tellsFigures ? [60, 18] : [20, 6];
const seed = Number(process.env.TEST_SEED ?? Math.ceil(1_000_000 * Math.random()));

engineTest.each(engines)(
  `sets on %s, amid kills and cut connections, are charged once at most, and all end (seed ${seed})`,
  async (name, engine) => {
    // Of a process that died, a create is not waited for long.
    vi.stubEnv("IN_FLIGHT_MS", "3000");
    const scene = await EngineScene.start(engine, inject("engines") as Engines, 20 * countOfSets);
    const { mock } = scene;
    const creates = { operation: "createScreenshots", times: Number.POSITIVE_INFINITY } as const;
    mock.fault({ latencyMs: 200 }, { ...creates, when: "after" });
    const startedAt = performance.now();
    void scene.disturb(deeds, randomFrom(seed));
    for (let set = 0; set < countOfSets; set++) await scene.order(`order-${set}`);
    const rows = await scene.rowsOnce((all) => all.every(({ outcome }) => outcome));
    const seconds = (performance.now() - startedAt) / 1_000;

    const charges = chargesByApp(mock);
    expect(Math.max(...charges.values())).toBe(1);
    const isPlanned = ({ outcome }: (typeof rows)[number]) => outcome && "slides" in outcome;
    const [planned, others] = [rows.filter(isPlanned), rows.filter((row) => !isPlanned(row))];
    expect(planned.map(({ appId, outcome }) => [charges.get(appId), outcome])).toEqual(
      planned.map(() => [1, { slides: 1 }]),
    );
    const uncertain = { error: "CreateInterruptedError", charged: "maybe" };
    expect(others.map(({ outcome }) => outcome)).toEqual(others.map(() => uncertain));
    expect(planned.length).toBeGreaterThan(0);
    expect(scene.deeds).toBeGreaterThan(0);
    if (!tellsFigures) return;
    const { polls, lateness } = scene.pollFigures();
    process.stdout.write(
      `${name}: ${(countOfSets / seconds).toFixed(1)} sets a second, ${others.length} uncertain, polls × lateness ` +
        `${polls.toFixed(1)} × ${lateness.toFixed(2)} = ${(polls * lateness).toFixed(2)}, deeds ${scene.deeds}\n`,
    );
  },
);
