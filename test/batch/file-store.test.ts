import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ScreenshotSets } from "screenshot-sets";
import { fileStore, runBatch } from "screenshot-sets/batch";
import { createMock } from "screenshot-sets/mock";
import { beforeEach, expect, test, vi } from "vitest";
import { collect } from "../helpers/collect.js";
import { rejection } from "../helpers/rejection.js";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sets-"));
  path = join(folder, "sets.json");
  return () => rmSync(folder, { recursive: true, force: true });
});

const value = { text: 'a "b"\n', list: [1, null] };
const contents = () => readFileSync(path, "utf8");

/** Saves a value by a store of its own. */
async function save(key: string, value: unknown, name = path): Promise<void> {
  const store = fileStore(name);
  await store.save(key, value).finally(() => store.close());
}

async function load(key: string): Promise<unknown> {
  const store = fileStore(path);
  return store.load(key).finally(() => store.close());
}

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

test("each save adds a line, and changes nothing that is there", async () => {
  let before = "";
  for (const [key, value] of [
    ["a", 1],
    ["b", 2],
    ["a", 3],
  ] as const) {
    await save(key, value);
    expect(contents().startsWith(before)).toBe(true);
    before = contents();
  }
  const [first, ...lines] = before.trimEnd().split("\n");
  expect(JSON.parse(first as string)).toEqual({ format: "screenshot-sets batch 1" });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { key: "a", value: 1 },
    { key: "b", value: 2 },
    { key: "a", value: 3 },
  ]);
});

test("saves at once are all in the file when they resolve", async () => {
  const store = fileStore(path);
  await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      await store.save(`key ${index}`, index);
      expect(contents()).toContain(`{"key":"key ${index}","value":${index}}\n`);
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

test("a link is followed, also through others and to a file that is not there, and its lock is beside the file", async () => {
  mkdirSync(join(folder, "volume"));
  path = join(folder, "volume", "sets.json");
  symlinkSync("volume/next", join(folder, "link"));
  symlinkSync("sets.json", join(folder, "volume", "next"));
  await save("a", 1, join(folder, "link"));
  const store = fileStore(join(folder, "link"));
  expect(await store.load("a")).toBe(1);
  expect(readdirSync(join(folder, "volume")).sort()).toEqual(["next", "sets.json", "sets.json.lock"]);
  await store.close();
  expect(await load("a")).toBe(1);
});

test("the mode of a file stays", async () => {
  await save("a", 1);
  for (const mode of [0o600, 0o660]) {
    chmodSync(path, mode);
    await save("a", mode);
    expect(statSync(path).mode & 0o777).toBe(mode);
  }
});

test.each(["", '{"key":"b","val', '{"key":"b","value":{"a":1}}', "\0\0\0"])(
  "what a crash left of a last line (%j) is cut away, and saves go on behind it",
  async (torn) => {
    await save("a", 1);
    const whole = contents();
    appendFileSync(path, torn);
    expect(await load("b")).toBeUndefined();
    expect(contents()).toBe(whole);
    await save("b", 2);
    expect([await load("a"), await load("b")]).toEqual([1, 2]);
  },
);

test("a file that is empty, as a crash or a mount leaves it, is a new one", async () => {
  writeFileSync(path, "");
  await save("a", 1);
  expect(await load("a")).toBe(1);
});

const first = '{"format":"screenshot-sets batch 1"}\n';
const good = '{"key":"a","value":1}\n';

test.each<[text: string, how: string]>([
  ...["{", "[]", "null\n", "\n", '{"name": "mine"}\n', '{"format":"screenshot-sets batch 2"}\n'].map(
    (text): [string, string] => [text, "does not begin as a file of `fileStore`"],
  ),
  [first.trimEnd(), "does not begin as a file of `fileStore`"],
  [`${first}${good}{\n${good}`, "is broken in line 3"],
  [`${first}null\n`, "is broken in line 2"],
  [`${first}[]\n`, "is broken in line 2"],
  [`${first}\n`, "is broken in line 2"],
  [`${first}{"key":"a"}\n`, "is broken in line 2"],
  [`${first}{"key":1,"value":1}\n`, "is broken in line 2"],
])("refuses a file that it did not write, and leaves it alone: %j", async (text, how) => {
  writeFileSync(path, text);
  const store = fileStore(path);
  for (const use of [() => store.load("a"), () => store.save("a", 1), () => store.open()]) {
    expect(await rejection(use())).toMatchObject({
      name: "ConfigurationError",
      message: expect.stringContaining(`${path} ${how}. Nothing was sent.`),
    });
  }
  await store.close();
  expect(contents()).toBe(text);
  expect(readdirSync(folder)).toEqual(["sets.json"]);
});

test.each<[what: string, prepare: () => string, code: string, words: string]>([
  ["folder is missing", () => join(folder, "none", "sets.json"), "ENOENT", "its folder does not exist"],
  [
    "name is a folder's",
    () => {
      mkdirSync(path);
      return path;
    },
    "EISDIR",
    "it is a folder",
  ],
  [
    "links lead in a circle",
    () => {
      symlinkSync("sets.json", path);
      return path;
    },
    "ELOOP",
    "too many symbolic links encountered",
  ],
])("a file whose %s is refused in words", async (_, prepare, code, words) => {
  const name = prepare();
  const error = await rejection(fileStore(name).open());
  expect(error).toMatchObject({ code, message: expect.stringContaining(words) });
});

test.each(["appendFile", "datasync"] as const)(
  "a disk that is full (%s) is told in words, what was saved stays, and saves go on once it is not",
  async (call) => {
    const store = fileStore(path);
    await store.save("a", 1);
    const whole = contents();
    const handle = await open(path);
    const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    const write = vi.spyOn(Object.getPrototypeOf(handle), call).mockImplementationOnce(async () => {
      appendFileSync(path, '{"key":"b","va');
      throw full;
    });
    await handle.close();
    const message = `Cannot use ${path}: no space left on device.`;
    expect(await rejection(store.save("b", 2))).toMatchObject({ code: "ENOSPC", message });
    expect(write).toHaveBeenCalled();
    expect([await store.load("b"), contents()]).toEqual([undefined, whole]);
    await store.save("c", 3);
    await store.close();
    expect([await load("a"), await load("c")]).toEqual([1, 3]);
  },
);

const taken: [what: string, take: () => void, message: string][] = [
  ["removed", () => rmSync(path), "was moved or removed"],
  ["moved", () => renameSync(path, join(folder, "other.json")), "was moved or removed"],
  [
    "replaced",
    () => {
      rmSync(path);
      writeFileSync(path, first);
    },
    "was moved or removed",
  ],
  ["written to", () => appendFileSync(path, good), "was written to by something else"],
  ["emptied", () => truncateSync(path), "was written to by something else"],
];
test.each(taken)("nothing more is written once the file was %s", async (_, take, message) => {
  const store = fileStore(path);
  await store.save("a", 1);
  take();
  const error = await rejection(store.save("b", 2));
  expect(error).toMatchObject({ name: "ConfigurationError", message: expect.stringContaining(message) });
  await store.close();
  expect(existsSync(path) && contents().includes('"b"')).toBe(false);
});

test("a link that was moved to another file while it was in use is noticed", async () => {
  const link = join(folder, "link");
  symlinkSync("sets.json", link);
  const store = fileStore(link);
  await store.save("a", 1);
  writeFileSync(join(folder, "other.json"), "");
  rmSync(link);
  symlinkSync("other.json", link);
  expect(await rejection(store.save("b", 2))).toMatchObject({ name: "ConfigurationError" });
  await store.close();
  expect(readFileSync(join(folder, "other.json"), "utf8")).toBe("");
});

test("two names of one file in two folders, which see no common lock, do not write over each other", async () => {
  await save("a", 1);
  mkdirSync(join(folder, "other"));
  const other = join(folder, "other", "sets.json");
  linkSync(path, other);
  const [one, two] = [fileStore(path), fileStore(other)];
  await Promise.all([one.open(), two.open()]);
  await one.save("b", 1);
  expect(await rejection(two.save("b", 2))).toMatchObject({
    message: expect.stringContaining("was written to by something else"),
  });
  await Promise.all([one.close(), two.close()]);
  expect(await load("b")).toBe(1);
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
  expect(contents()).not.toContain(mock.clientOptions.apiKey);
  const later = await collect(runBatch(client, { sets, store: fileStore(path) }));
  expect(later.map(({ status }) => status)).toEqual(["succeeded", "succeeded"]);
  expect(mock.credits.used).toBe(20);
});
