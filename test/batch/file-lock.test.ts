import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { fileStore } from "screenshot-sets/batch";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { type BatchProgram, batchProgram, canUnshare } from "../helpers/batch-process.js";
import { collect } from "../helpers/collect.js";
import { rejection } from "../helpers/rejection.js";
import { shortenLockTimes } from "../helpers/short-times.js";
import { temporaryFolder } from "../helpers/temporary-folder.js";

// Processes that live, die and sleep beside each other. Here a holder counts as dead after a second.
shortenLockTimes();

let programs: BatchProgram;
beforeAll(async () => {
  programs = await batchProgram("file-lock");
});
afterAll(() => programs.remove());

let folder: string;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, "sets.json");
});

/** A process that uses the file, and lives until it is killed; `refusal` says why it may not, if so. */
async function otherProcess(wrapper?: string[]): Promise<{ child: ChildProcess; refusal: string }> {
  const child = programs.start({ STORE: path }, wrapper);
  onTestFinished(() => void child.kill("SIGKILL"));
  const [{ refusal }] = await once(child, "message");
  return { child, refusal };
}

const inUse =
  /sets\.json is in use by another process \(number \d+ on .*\)\. Two that use it at once could pay twice/;

test("a file that a living process uses is refused, and that of one that was killed is taken over", async () => {
  const { child } = await otherProcess();
  const store = fileStore(path);
  for (const use of [() => store.load("a"), () => store.save("a", 2, 1), () => store.open()]) {
    const error = await rejection(use());
    expect(error).toMatchObject({ name: "ConfigurationError", message: expect.stringMatching(inUse) });
  }
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await store.load("a")).toBe(1);
  await store.close();
  expect(readdirSync(folder)).toEqual(["sets.json"]);
});

test("the lock of another host that does not beat is taken over, whatever it holds, and nothing of it is left", async () => {
  for (const text of ['{"pid":1,"host":"elsewhere","beats":7}', "", "no process at all"]) {
    mkdirSync(`${path}.lock`, { recursive: true });
    writeFileSync(join(`${path}.lock`, "x"), text);
    const store = fileStore(path);
    await store.open();
    await store.close();
    expect(readdirSync(folder)).toEqual([]);
  }
});

test.each<[what: string, make: (lock: string) => void, name: string]>([
  ["a file", (lock) => writeFileSync(lock, ""), ""],
  ["a link to nothing", (lock) => symlinkSync("none", lock), ""],
  ["a link to a folder", (lock) => symlinkSync(".", lock), ""],
  ["a folder with another in it", (lock) => mkdirSync(join(lock, "inner"), { recursive: true }), "/inner"],
])("%s at the lock's place is told, and left alone", async (_, make, name) => {
  make(`${path}.lock`);
  const { name: sort, message } = await rejection(fileStore(path).open());
  expect(sort).toBe("ConfigurationError");
  expect(message).toContain(
    `${path}.lock${name} stands where a lock is kept, and does not belong there. Nothing was sent.`,
  );
  expect(readdirSync(folder)).toEqual(["sets.json.lock"]);
});

/** Has a function of the file system fail, until the returned function is called. */
function failing(name: "rm" | "rmdir" | "writeFile", code: string): () => void {
  const original = fs[name];
  const use = (used: unknown) => {
    Object.assign(fs, { [name]: used });
    syncBuiltinESMExports();
  };
  use(() => Promise.reject(Object.assign(new Error(`${code}: the reason, ${name}`), { code })));
  const restore = () => use(original);
  onTestFinished(restore);
  return restore;
}

test("a disk that is full from the start is told in words", async () => {
  failing("writeFile", "ENOSPC");
  const message = `Cannot use ${path}.lock: the reason.`;
  expect(await rejection(fileStore(path).open())).toMatchObject({ code: "ENOSPC", message });
  expect(readdirSync(folder)).toEqual([]);
});

// As on Windows, while a scanner looks into it.
test.each(["rm", "rmdir"] as const)(
  "a lock that can't be removed (%s) fails nothing, and is taken over",
  async (name) => {
    const restore = failing(name, "EBUSY");
    const store = fileStore(path);
    await store.save("a", 1, undefined);
    await store.close();
    restore();
    const later = fileStore(path);
    expect(await later.load("a")).toBe(1);
    await later.close();
    expect(readdirSync(folder)).toEqual(["sets.json"]);
  },
);

test("an abort ends the wait for a lock at once, with its reason", async () => {
  mkdirSync(`${path}.lock`);
  writeFileSync(join(`${path}.lock`, "x"), "a process that died");
  const controller = new AbortController();
  const opened = rejection(fileStore(path).open(controller.signal));
  setTimeout(() => controller.abort(new Error("stopped")), 100);
  expect((await opened).message).toBe("stopped");
  expect(readdirSync(`${path}.lock`)).toEqual(["x"]);
});

test("a process that was suspended until its lock was taken over begins nothing, ends what it began, and says so", async () => {
  const { child } = await otherProcess();
  child.kill("SIGSTOP");
  const store = fileStore(path);
  expect(await store.load("a")).toBe(1);
  expect(await store.save("b", 2, undefined)).toBe(true);
  child.kill("SIGCONT");
  for (const change of [
    ["late", 1],
    ["a", 3, 1],
  ]) {
    child.send(change);
    const [{ refusal }] = await once(child, "message");
    expect(refusal).toMatch(/The lock .*sets\.json\.lock was removed or taken\. Nothing more is sent\./);
  }
  expect(await rejection(store.save("c", 4, undefined))).toMatchObject({
    message: expect.stringContaining("was written to by something else"),
  });
  await store.close();
  const later = fileStore(path);
  expect(await collect(later.list())).toEqual([
    ["a", 3],
    ["b", 2],
  ]);
  await later.close();
});

test("nothing is begun after the lock was removed by somebody else", async () => {
  const store = fileStore(path);
  await store.save("a", 1, undefined);
  rmSync(`${path}.lock`, { recursive: true });
  expect(await rejection(store.save("b", 2, undefined))).toMatchObject({ name: "ConfigurationError" });
  await store.close();
  expect(readFileSync(path, "utf8")).not.toContain('"b"');
});

test("of several processes that find a dead one's lock, or begin at once, one uses the file", async () => {
  for (let round = 0; round < 3; round++) {
    const all = await Promise.all(Array.from({ length: 5 }, () => otherProcess()));
    expect(all.filter(({ refusal }) => refusal === "")).toHaveLength(1);
    for (const { child } of all) child.kill("SIGKILL");
    await Promise.all(all.map(({ child }) => child.exitCode ?? child.signalCode ?? once(child, "exit")));
  }
});

// With process numbers of their own, as containers have that share a host name.
test.runIf(canUnshare())(
  "a file that a process in another namespace uses is refused while that lives",
  async () => {
    const wrapper = ["unshare", "-pf", "--mount-proc"];
    const [first, second] = [await otherProcess(wrapper), await otherProcess(wrapper)];
    expect([first.refusal, second.refusal]).toEqual(["", expect.stringMatching(inUse)]);
    first.child.send(["b", 1]);
    expect(await once(first.child, "message")).toEqual([{ refusal: "" }, undefined]);
  },
);
