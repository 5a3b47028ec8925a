import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { setCost } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";
import { expect, inject, onTestFinished, test } from "vitest";
import { defaultCount } from "../../src/generated/values.js";
import { createConsumer } from "../helpers/consumer.js";

const redisUrl = inject("redisUrl");

test.skipIf(redisUrl === undefined)("the fleet of the examples plans a set", async () => {
  const project = createConsumer(inject("packed").tarball);
  project.link("bullmq", "ioredis");
  cpSync("examples/fleet", project.folder, { recursive: true });
  const mock = createMock({ clock: "system", lifecycle: "instant" });
  const { url, close } = await mock.listen();
  const env = {
    ...process.env,
    SCREENSHOT_SETS_API_KEY: mock.clientOptions.apiKey,
    SCREENSHOT_SETS_BASE_URL: url,
    REDIS_URL: redisUrl,
    QUEUE: `sets-${randomUUID()}`,
  };
  const run = (program: string, ...args: string[]): ChildProcess =>
    spawn(process.execPath, [join(project.folder, program), ...args], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
  const worker = run("worker.mjs");
  onTestFinished(async () => {
    worker.kill("SIGKILL");
    await close();
    project.remove();
  });

  const producer = run("producer.mjs", "https://apps.apple.com/us/app/example/id1");
  expect(await firstLine(producer)).toBe("Added set-app_1.");
  expect(await firstLine(worker)).toBe(`set-app_1: ${defaultCount} slides`);
  expect(mock.credits.used).toBe(setCost);

  worker.kill("SIGTERM");
  expect(await once(worker, "exit")).toEqual([0, null]);
});

async function firstLine(program: ChildProcess): Promise<string> {
  let text = "";
  for await (const chunk of program.stdout ?? []) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  return text.trim();
}
