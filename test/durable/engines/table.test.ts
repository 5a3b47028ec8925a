import { expect, inject } from "vitest";
import { EngineScene } from "../../helpers/engine-scene.js";
import { engines, engineTest } from "../../helpers/engines.js";
import type { Engines } from "../../helpers/postgres.js";

const operation = "createScreenshots";
const uncertain = { error: "CreateInterruptedError", charged: "maybe" };

const cron = engines.filter(([name]) => name === "cron");

engineTest.each(cron)("in the table of %s, a set that is refused ends so", async (_, engine) => {
  const scene = await EngineScene.start(engine, inject("engines") as Engines);
  await scene.order("refused", "app_of_nobody");
  expect(await scene.outcome("refused")).toEqual({ error: "NotFoundError", charged: "no" });
});

engineTest.each(cron)("in the table of %s, a set that is ordered once more is planned", async (_, engine) => {
  const scene = await EngineScene.start(engine, inject("engines") as Engines);
  scene.mock.fault("reset", { operation });
  await scene.order("unclear");
  expect(await scene.outcome("unclear")).toEqual(uncertain);
  await scene.database.orderAgain("unclear");
  expect(await scene.outcome("unclear")).toEqual({ slides: 1 });
  expect(scene.mock.credits.used).toBe(10);
});

/** The same without its claim on the sets that it takes, and with a pause between the look at a set and its step. */
const unclaimed = cron.map(([name, engine]): (typeof cron)[number] => {
  const found = "if (order === undefined) return undefined;";
  const changes: typeof engine.changes = [
    ["'10 minutes'", "'0 seconds'"],
    [found, `${found} await new Promise((resolve) => setTimeout(resolve, 200));`],
  ];
  return [name, { ...engine, changes }];
});

engineTest.each(unclaimed)(
  "in the table of %s, sets that two processes take at the same moments are charged once, and planned",
  async (_, engine) => {
    const scene = await EngineScene.start(engine, inject("engines") as Engines, 1_000);
    scene.mock.fault({ latencyMs: 200 }, { operation, when: "after", times: Number.POSITIVE_INFINITY });
    for (let set = 0; set < 8; set++) await scene.order(`order-${set}`);
    const rows = await scene.rowsOnce((all) => all.every(({ outcome }) => outcome));
    expect(rows.map(({ outcome }) => outcome)).toEqual(rows.map(() => ({ slides: 1 })));
    expect(scene.mock.credits.ledger()).toHaveLength(8);
  },
);
