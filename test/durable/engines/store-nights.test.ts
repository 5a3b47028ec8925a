import { setTimeout } from "node:timers/promises";
import { beforeAll, expect, inject, test } from "vitest";
import { randomFrom } from "../../../bench/waiting/random.js";
import type { Engines } from "../../helpers/postgres.js";
import { PostgresServer } from "../../helpers/postgres-server.js";
import { chargesByApp } from "../../helpers/queue-scene.js";
import { StoreNight } from "../../helpers/store-night.js";

// `STORE_SETS=340 npx vitest run --project engines test/durable/engines/store-nights` draws nights of 1,020 sets in some
// minutes, and with `FIGURES=1` tells what happened in them.
const countOfSets = Number(process.env.STORE_SETS ?? (process.env.ALL_DRAWS ? 200 : 40));
const seed = Number(process.env.TEST_SEED ?? Math.ceil(1_000_000 * Math.random()));

const engines = inject("engines");
let server: PostgresServer;
beforeAll(async () => {
  if (engines === undefined) return;
  server = (await PostgresServer.start()) as PostgresServer;
  return () => server.stop();
});

const nights: [driver: string, kills: string][] = [
  ["pg", "kills, "],
  ["postgres.js", "kills, "],
  ["pg", ""],
];

test.skipIf(engines === undefined).each(nights)(
  `%s: ${countOfSets} sets on four processes, amid %scut connections, transactions, outages of the server and three lists of \`again\`, are charged no more often than ordered, no job is lost, and all end (seed ${seed})`,
  { timeout: 120_000 + 1_000 * countOfSets },
  async (driver, kills) => {
    const night = await StoreNight.start(countOfSets, driver, server, engines as Engines);
    const draw = randomFrom(seed);
    const startedAt = performance.now();
    let deeds = 0;
    const disturbWhile = async (isOn: () => boolean) => {
      while (isOn()) {
        await setTimeout(300 + 700 * draw());
        const kind = kills ? draw() : 0.6 + 0.4 * draw();
        if (performance.now() - startedAt > 40_000 + 200 * countOfSets) continue;
        deeds++;
        await night.disturb(kind, draw);
      }
    };
    night.work(4, kills ? {} : { IN_FLIGHT_MS: "60000" });
    await disturbWhile(() => night.isOn);
    const seconds = (performance.now() - startedAt) / 1_000;

    expect(await night.wrong()).toEqual([]);
    const ends = [...night.ends.values()];
    const uncertain = ends.filter((end) => end === "uncertain").length;
    expect(ends.filter((end) => end !== "uncertain")).toEqual(
      Array(countOfSets - uncertain).fill("succeeded"),
    );
    const charges = chargesByApp(night.mock);
    expect(Math.max(...charges.values())).toBe(1);
    for (const [appId, end] of night.ends) if (end === "succeeded") expect(charges.get(appId)).toBe(1);
    expect(deeds).toBeGreaterThan(0);
    // A process that lives stores what followed each create, and removes the record of one that was not sent.
    if (!kills) expect(uncertain).toBe(0);

    const planned = [...night.ends].filter(([, end]) => end === "succeeded").map(([appId]) => appId);
    let isOver = false;
    const again = night.orderAgain(3).finally(() => {
      isOver = true;
    });
    await Promise.all([again, disturbWhile(() => !isOver)]);
    expect(await night.wrong()).toEqual([]);
    const later = chargesByApp(night.mock);
    for (const appId of planned) expect(later.get(appId)).toBe(1);
    if (!process.env.FIGURES) return;
    const perSecond = (countOfSets / seconds).toFixed(1);
    const credits = night.mock.credits.ledger().length;
    process.stdout.write(
      `${driver}: ${perSecond} sets a second, ${uncertain} uncertain, ${deeds} deeds, ${credits - charges.size} charges of repeated orders\n`,
    );
  },
);
