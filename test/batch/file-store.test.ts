import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { ScreenshotSets } from "screenshot-sets";
import { fileStore, runBatch } from "screenshot-sets/batch";
import { createMock } from "screenshot-sets/mock";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { type BatchProgram, batchProgram } from "../helpers/batch-process.js";
import { collect } from "../helpers/collect.js";
import { rejection } from "../helpers/rejection.js";

let programs: BatchProgram;
beforeAll(async () => {
  programs = await batchProgram("file-store");
});
afterAll(() => programs.remove());

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sets-"));
  path = join(folder, "sets.json");
  return () => rmSync(folder, { recursive: true, force: true });
});

const value = { text: 'a "b"\n', list: [1, null] };

test("keeps plain JSON for later runs, and nothing under a key that got null", async () => {
  const store = fileStore(path);
  for (const key of ["a", "__proto__", "ü/\n"]) await store.save(key, value);
  await store.save("b", value);
  await store.save("b", null);
  await store.close();
  const later = fileStore(path);
  for (const key of ["a", "__proto__", "ü/\n"]) expect(await later.load(key)).toEqual(value);
  for (const key of ["b", "toString"]) expect(await later.load(key)).toBeUndefined();
  await later.close();
  expect(readdirSync(folder)).toEqual(["sets.json"]);
});

test("saves at once share writes, and all are in the file when they resolve", async () => {
  const store = fileStore(path);
  await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      await store.save(`key ${index}`, index);
      expect(readFileSync(path, "utf8")).toContain(`"key ${index}": ${index}`);
    }),
  );
  await store.close();
});

test("two stores on one file of one process see the same, through a link too", async () => {
  symlinkSync(path, join(folder, "link.json"));
  const [one, other] = [fileStore(path), fileStore(join(folder, "link.json"))];
  await one.save("a", 1);
  await other.save("b", 2);
  expect([await one.load("b"), await other.load("a")]).toEqual([2, 1]);
  expect(readdirSync(folder).sort()).toEqual(["link.json", "sets.json", "sets.json.lock"]);
  await one.close();
});

test.each(["", "{", "[]", "null", '{"name": "mine"}', '{"format": "screenshot-sets batch 2", "values": {}}'])(
  "refuses a file that it did not write, and leaves it alone: %s",
  async (text) => {
    writeFileSync(path, text);
    const store = fileStore(path);
    for (const use of [() => store.load("a"), () => store.save("a", 1), () => store.open()]) {
      expect(await rejection(use())).toMatchObject({
        name: "ConfigurationError",
        message: expect.stringContaining(`${path} is broken, or no file of \`fileStore\``),
      });
    }
    await store.close();
    expect(readFileSync(path, "utf8")).toBe(text);
  },
);

test("rejects with the system's error where nothing can be written, and keeps what it had", async () => {
  expect(await rejection(fileStore(join(folder, "none", "sets.json")).save("a", 1))).toMatchObject({
    code: "ENOENT",
  });
  const store = fileStore(path);
  mkdirSync(path);
  expect(await rejection(store.load("a"))).toMatchObject({ code: "EISDIR" });
  rmSync(path, { recursive: true });
  await store.open();
  await store.save("a", 1);
  const before = readFileSync(path, "utf8");
  // Where the next file would be written there is a folder.
  mkdirSync(`${path}.tmp`);
  expect(await rejection(store.save("b", 2))).toMatchObject({ code: "EISDIR" });
  expect(await store.load("b")).toBeUndefined();
  expect(readFileSync(path, "utf8")).toBe(before);
  rmSync(`${path}.tmp`, { recursive: true });
  await store.save("c", 3);
  await store.close();
  expect(await fileStore(path).load("a")).toBe(1);
});

/** A process that uses the file, and lives until it is killed. */
async function otherProcess() {
  const child = programs.start({ STORE: path });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "message");
  return child;
}

test("refuses a file that another living process uses, and takes it over when that is dead", async () => {
  const child = await otherProcess();
  const store = fileStore(path);
  for (const use of [() => store.load("a"), () => store.save("a", 2), () => store.open()]) {
    expect(await rejection(use())).toMatchObject({
      name: "ConfigurationError",
      message: expect.stringContaining(`is in use by process ${child.pid}`),
    });
  }
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await store.load("a")).toBe(1);
  await store.close();
});

test.runIf(process.platform === "linux")(
  "a process that is dead, but for a parent that does not ask, holds no lock",
  async () => {
    const program = `"${process.execPath}" "${programs.path}" & exec sleep 600`;
    const parent = spawn("sh", ["-c", program], { env: { ...process.env, STORE: path }, stdio: "ignore" });
    onTestFinished(() => void parent.kill("SIGKILL"));
    await expect.poll(() => existsSync(path)).toBe(true);
    const [holder = ""] = readdirSync(`${path}.lock`);
    const { pid } = JSON.parse(readFileSync(join(`${path}.lock`, holder), "utf8"));
    process.kill(pid, "SIGKILL");
    const store = fileStore(path);
    await expect.poll(() => store.load("a").catch(() => {})).toBe(1);
    // It is still there.
    expect(process.kill(pid, 0)).toBe(true);
    await store.close();
  },
);

/** A lock as its holder would have written it. */
function lockBy(holder: object) {
  mkdirSync(`${path}.lock`, { recursive: true });
  writeFileSync(join(`${path}.lock`, "x"), JSON.stringify(holder));
}

test("a process number that was given to another process since does not count as alive", async () => {
  // Elsewhere than on Linux, `ps` says when it started.
  for (const platform of [process.platform, "darwin" as const]) {
    vi.spyOn(process, "platform", "get").mockReturnValue(platform);
    lockBy({ pid: process.pid, started: "long ago", host: hostname() });
    await fileStore(path).save("a", 1);
    await fileStore(path).close();
  }
});

test.each<[string, object, string]>([
  ["of another machine", { pid: 1, started: "x", host: "elsewhere" }, "process 1 on elsewhere"],
  ["that names no process", {}, "something that is no process"],
])("a lock %s is not taken over, and the error says how to remove it", async (_, holder, who) => {
  lockBy(holder);
  const { message } = await rejection(fileStore(path).save("a", 1));
  expect(message).toContain(`${path} is in use by ${who}. If that is over, remove ${path}.lock`);
});

test("nothing is written after the lock was removed by somebody else", async () => {
  const store = fileStore(path);
  await store.save("a", 1);
  rmSync(`${path}.lock`, { recursive: true });
  expect(await rejection(store.save("b", 2))).toMatchObject({ name: "ConfigurationError" });
  await store.close();
});

test("of several processes that find a dead one's lock, one takes it over", async () => {
  const dead = spawnSync(process.execPath, ["-e", "console.log(process.pid)"], { encoding: "utf8" });
  for (let round = 0; round < 5; round++) {
    lockBy({ pid: Number(dead.stdout), started: "before", host: hostname() });
    const refusals = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const child = programs.start({ STORE: path });
        onTestFinished(() => void child.kill("SIGKILL"));
        const [{ refusal }] = await once(child, "message");
        return { child, refusal };
      }),
    );
    expect(refusals.filter(({ refusal }) => refusal === undefined)).toHaveLength(1);
    for (const { child } of refusals) child.kill("SIGKILL");
  }
});

test("a batch has its file, without the key, for itself, and lets go of it at its end", async () => {
  const mock = createMock();
  const client = new ScreenshotSets(mock.clientOptions);
  const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
  const sets = { a: { appId, device: "iphone-69" }, b: { appId, device: "ipad-pro" } } as const;
  for await (const { key } of runBatch(client, { sets, store: fileStore(path), concurrency: 1 })) {
    const second = collect(runBatch(client, { sets, store: fileStore(path) }));
    expect(await rejection(second)).toMatchObject({
      name: "ConfigurationError",
      message: `${path} is in use by another batch of this process.`,
    });
    if (key === "b") break;
  }
  expect(readdirSync(folder)).toEqual(["sets.json"]);
  expect(readFileSync(path, "utf8")).not.toContain(mock.clientOptions.apiKey);
  const later = await collect(runBatch(client, { sets, store: fileStore(path) }));
  expect(later.map(({ status }) => status)).toEqual(["succeeded", "succeeded"]);
  expect(mock.credits.used).toBe(20);
});
