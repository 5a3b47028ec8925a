import { expect, inject } from "vitest";
import { EngineScene } from "../../helpers/engine-scene.js";
import { engines, engineTest } from "../../helpers/engines.js";
import type { Engines } from "../../helpers/postgres.js";

const operation = "createScreenshots";

engineTest.each(engines)("%s that is told to stop leaves no set unclear", async (_, engine) => {
  const scene = await EngineScene.start(engine, inject("engines") as Engines);
  scene.mock.fault({ latencyMs: 300 }, { operation, when: "after", times: Number.POSITIVE_INFINITY });
  await scene.order("first");
  await scene.stopInCreate();
  await scene.order("second");
  expect(await scene.outcome("first")).toEqual({ slides: 1 });
  expect(await scene.outcome("second")).toEqual({ slides: 1 });
  expect(scene.mock.credits.used).toBe(20);
});
