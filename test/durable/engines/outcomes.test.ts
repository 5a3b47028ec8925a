import { expect, inject } from "vitest";
import { EngineScene } from "../../helpers/engine-scene.js";
import { engines, engineTest } from "../../helpers/engines.js";
import type { Engines } from "../../helpers/postgres.js";

const operation = "createScreenshots";
const uncertain = { error: "CreateInterruptedError", charged: "maybe" };

engineTest.each(engines)(
  "on %s, a set whose job fails, or which may have been charged, ends so, and one without credits waits for them",
  async (_, engine) => {
    const scene = await EngineScene.start(engine, inject("engines") as Engines);
    const { mock } = scene;
    mock.nextJob({ outcome: "failed" });
    await scene.order("failing");
    await expect.poll(() => mock.credits.used).toBe(10);
    mock.fault("reset", { operation, when: "after" });
    await scene.order("unclear");
    expect(await scene.outcome("unclear")).toEqual(uncertain);

    mock.credits.set(0);
    await scene.order("waiting");
    await scene.rowsOnce((rows) => rows.some(({ problem }) => problem?.includes("402")));
    mock.credits.set(100);
    expect(await scene.outcome("waiting")).toEqual({ slides: 1 });
    expect(await scene.outcome("failing")).toEqual({ error: "JobFailedError", charged: "yes" });
    expect(mock.credits.ledger()).toHaveLength(3);
  },
);
