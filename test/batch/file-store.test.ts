import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { ScreenshotSets } from "screenshot-sets";
import { fileStore, runBatch } from "screenshot-sets/batch";
import { createMock } from "screenshot-sets/mock";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { collect } from "../helpers/collect.js";
import { rejection } from "../helpers/rejection.js";
import { temporaryFolder } from "../helpers/temporary-folder.js";

let folder: string;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, "sets.json");
});

const value = { text: 'a "b"\n\t', list: [1, null] };
const contents = () => readFileSync(path, "utf8");

/** Saves a value by a store of its own. */
async function save(key: string, value: unknown, name = path): Promise<void> {
  const store = fileStore(name);
  try {
    expect(await store.save(key, value, await store.load(key))).toBe(true);
  } finally {
    await store.close();
  }
}

async function load(key: string): Promise<unknown> {
  const store = fileStore(path);
  return store.load(key).finally(() => store.close());
}

/** All that a file holds. */
async function list(name = path): Promise<Record<string, unknown>> {
  const store = fileStore(name);
  try {
    return Object.fromEntries(await collect(store.list()));
  } finally {
    await store.close();
  }
}

test("keeps plain JSON for later runs, and nothing under a key that got null", async () => {
  const store = fileStore(path);
  const keys = ["a", "__proto__", "ü/\n", "app:us"];
  for (const key of keys) expect(await store.save(key, value, undefined)).toBe(true);
  await store.save("b", value, null);
  await store.save("b", null, value);
  await store.close();
  const later = fileStore(path);
  for (const key of keys) expect(await later.load(key)).toEqual(value);
  for (const key of ["b", "toString"]) expect(await later.load(key)).toBeUndefined();
  expect(await collect(later.list())).toEqual(keys.map((key) => [key, value]));
  await later.close();
  expect(readdirSync(folder)).toEqual(["sets.json"]);
});

test("stores a value only where the previous one is what is stored", async () => {
  const store = fileStore(path);
  expect(await store.save("a", 1, 0)).toBe(false);
  const both = [store.save("a", 1, undefined), store.save("a", 2, undefined)];
  expect(await Promise.all(both)).toEqual([true, false]);
  const inTurn = [store.save("a", 3, 1), store.save("a", { x: [4] }, 3), store.save("a", 5, { x: [4] })];
  expect(await Promise.all(inTurn)).toEqual([true, true, true]);
  expect(await store.save("a", null, 3)).toBe(false);
  await store.close();
  expect(await load("a")).toBe(5);
});

test("each save adds a line of JSON, and changes nothing that is there", async () => {
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
  const lines = before.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { format: "screenshot-sets batch 2" },
    { key: "a", n: 1, value: 1 },
    { key: "b", n: 1, value: 2 },
    { key: "a", n: 2, value: 3 },
  ]);
});

test("saves at once are all in the file when they resolve", async () => {
  const store = fileStore(path);
  await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      await store.save(`key ${index}`, index, undefined);
      expect(contents()).toContain(`{"key":"key ${index}","n":1,"value":${index}}\n`);
    }),
  );
  await store.close();
});

test("two stores on one file of one process see the same, through a link too", async () => {
  symlinkSync(path, join(folder, "link.json"));
  const [one, other] = [fileStore(path), fileStore(join(folder, "link.json"))];
  await one.save("a", 1, undefined);
  await other.save("b", 2, undefined);
  expect([await one.load("b"), await other.load("a")]).toEqual([2, 1]);
  expect(readdirSync(folder).sort()).toEqual(["link.json", "sets.json", "sets.json.lock"]);
  await one.close();
});

test("a link is followed, also through others and to a file that is not there, and its lock is beside the file", async () => {
  mkdirSync(join(folder, "volume"));
  path = join(folder, "volume", "sets.json");
  symlinkSync("volume/next", join(folder, "link"));
  symlinkSync("sets.json", join(folder, "volume", "next"));
  for (const [before, next] of [
    [undefined, 1],
    [1, 2],
  ]) {
    const store = fileStore(join(folder, "link"));
    expect(await store.load("a")).toBe(before);
    expect(readdirSync(join(folder, "volume"))).toContain("sets.json.lock");
    expect(await store.save("a", next, before)).toBe(true);
    await store.close();
  }
  expect(readdirSync(join(folder, "volume")).sort()).toEqual(["next", "sets.json"]);
  expect(await load("a")).toBe(2);
});

test("the mode of a file stays", async () => {
  await save("a", 1);
  for (const mode of [0o600, 0o660]) {
    chmodSync(path, mode);
    await save("a", mode);
    expect(statSync(path).mode & 0o777).toBe(mode);
  }
});

test("wherever a write broke off, whole lines before it count, it stays, and saves go on behind it", async () => {
  await save("a", 1);
  const whole = readFileSync(path);
  await save("b", value);
  await save("ü", 2);
  const bytes = readFileSync(path);
  const second = bytes.indexOf("\n", whole.length) + 1;
  for (let end = whole.length; end <= bytes.length; end++) {
    const torn = bytes.subarray(0, end);
    writeFileSync(path, torn);
    // A line is whole without its line break.
    const saved = { a: 1, ...(end >= second - 1 && { b: value }), ...(end >= bytes.length - 1 && { ü: 2 }) };
    expect(await list()).toEqual(saved);
    await save("c", 3);
    expect(contents()).toMatch(/\n\t\{"key":"c","n":1,"value":3\}\n$/);
    appendFileSync(path, "\0\0\t\0");
    await save("a", 4);
    expect(await list()).toEqual({ ...saved, a: 4, c: 3 });
    expect(readFileSync(path).subarray(0, end)).toEqual(torn);
  }
});

test("a file that is empty, as a crash or a mount leaves it, is a new one", async () => {
  writeFileSync(path, "");
  await save("a", 1);
  expect(await load("a")).toBe(1);
});

test.each<[how: string, edit: (text: string) => string]>([
  ["has lost its last line break", (text) => text.trimEnd()],
  ["has lost its last line break, and got a blank", (text) => `${text.trimEnd()} `],
  ["has a part of a line at its end", (text) => `${text}\t{"key":"b","n":2,"va`],
  ["has other ends of lines", (text) => text.replaceAll("\n", "\r\n")],
  ["has other ends of lines, but for the last", (text) => text.replaceAll("\n", "\r\n").trimEnd()],
  ["begins with a byte order mark and has no tabs", (text) => `\uFEFF${text.replaceAll("\t", "")}`],
  ["has no tabs, and has lost its last line break", (text) => text.replaceAll("\t", "").trimEnd()],
  ["has a byte order mark before each line", (text) => text.replace(/^/gm, "\uFEFF")],
  ["is in itself twice", (text) => text + text],
  ["is in itself twice, without a line break between", (text) => text.trimEnd() + text],
  ["is in itself twice, with a byte order mark between", (text) => `${text.trimEnd()}\uFEFF${text}`],
  ["is in itself twice, line by line", (text) => text.replace(/^.*\n/gm, "$&$&")],
])("a file that %s holds what it held, and the next save begins on a line of its own", async (_, edit) => {
  await save("a", 1);
  await save("b", "ü");
  await save("a", 2);
  const edited = edit(contents());
  writeFileSync(path, edited);
  const store = fileStore(path);
  expect(Object.fromEntries(await collect(store.list()))).toEqual({ a: 2, b: "ü" });
  for (const next of [3, 4]) expect(await store.save("a", next, next - 1)).toBe(true);
  await store.close();
  expect(contents().startsWith(edited)).toBe(true);
  const lines = contents().slice(edited.length).split("\n");
  expect(lines.map((line) => line.trim() && JSON.parse(line))).toEqual([
    // The end of a line that had none.
    ...(edited.endsWith("\n") ? [] : [""]),
    { key: "a", n: 3, value: 3 },
    { key: "a", n: 4, value: 4 },
    "",
  ]);
  expect(await list()).toEqual({ a: 4, b: "ü" });
});

test("a first line that has lost its line break begins a file", async () => {
  writeFileSync(path, first.trimEnd());
  await save("a", 1);
  expect(await list()).toEqual({ a: 1 });
});

test("a file is read in pieces, which may end within a character, and a line may be longer than one", async () => {
  const mebibyte = 2 ** 20;
  const long = "ü".repeat(mebibyte);
  for (let bytes = 0; bytes < 4; bytes++) {
    rmSync(path, { force: true });
    await save("a", "x".repeat(bytes));
    for (const key of ["b", "c"]) await save(key, long);
    await save("b", "short");
    expect(await list()).toEqual({ a: "x".repeat(bytes), b: "short", c: long });
  }
});

test.runIf(process.env.ALL_DRAWS)("a file that is longer than the longest string opens", async () => {
  const line = (n: number) => `\t{"key":"a","n":${n},${" ".repeat(2 ** 22)}"value":${n}}\n`;
  writeFileSync(path, first);
  for (let n = 1; n <= 150; n++) appendFileSync(path, line(n));
  expect(statSync(path).size).toBeGreaterThan(600e6);
  expect(await load("a")).toBe(150);
});

const first = '{"format":"screenshot-sets batch 2"}\n';
const good = '\t{"key":"a","n":1,"value":1}\n';

test.each<[text: string, how: string]>([
  ...["{", "[]", "null\n", "\n", '{"name": "mine"}\n', first.slice(0, -2)].map((text): [string, string] => [
    text,
    "does not begin as a file of `fileStore`. Nothing was sent. Sets that it names may be paid for: restore it",
  ]),
  [
    '{"format":"screenshot-sets batch 1"}\n{"key":"a","value":1}\n',
    "has form 1, and not form 2. Nothing was sent.",
  ],
  [
    '{"format":"screenshot-sets batch 12"}\n',
    "has form 12, and not form 2. Nothing was sent. Sets that it names may be paid for: go on with the version",
  ],
  [`${first}${good}{\n${good}`, "is broken in line 3. Nothing was sent."],
  [`${first}${good}\n${good}`, "is broken in line 3. Nothing was sent."],
  [`${first}{"key":"a","n":1,"value":"\xff"}\n`, "is broken in line 2. Nothing was sent."],
  [`${first}${good.trimEnd()}{\n`, "is broken in line 2. Nothing was sent."],
  [`${first}{"format":"screenshot-sets batch 1"}\n`, "is broken in line 2. Nothing was sent."],
  [`${first}{"key":"a","n":2,"value":1}`, "is broken in line 2. Nothing was sent."],
  [`${first}{"key":"a","n":2,"value":1}\t${good}`, "is broken in line 2. Nothing was sent."],
  [`${first}null\n`, "is broken in line 2. Nothing was sent."],
  [`${first}[]\n`, "is broken in line 2. Nothing was sent."],
  [`${first}\n`, "is broken in line 2. Nothing was sent."],
  [`${first}{"key":"a","n":1}\n`, "is broken in line 2. Nothing was sent."],
  [`${first}{"key":1,"n":1,"value":1}\n`, "is broken in line 2. Nothing was sent."],
  [`${first}{"key":"a","value":1}\n`, "is broken in line 2. Nothing was sent."],
  [`${first}${good}{"key":"a","n":3,"value":1}\n`, "is broken in line 3. Nothing was sent."],
])("refuses a file that it did not write, and leaves it alone: %j", async (text, how) => {
  // Where it has "ÿ", that is a byte that no text has.
  writeFileSync(path, text, "latin1");
  const store = fileStore(path);
  const uses = [
    () => store.load("a"),
    () => store.save("a", 2, 1),
    () => collect(store.list()),
    () => store.open(),
  ];
  // The last one again: what is refused leaves nothing open.
  for (const use of [...uses, ...uses.slice(-1)]) {
    expect(await rejection(use())).toMatchObject({
      name: "ConfigurationError",
      message: expect.stringContaining(`${path} ${how}`),
    });
  }
  await store.close();
  expect(readFileSync(path, "latin1")).toBe(text);
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

/** Has the next call of a method of open files do something else, which may call it. */
async function nextCall(
  name: "appendFile" | "datasync",
  instead: (original: (...args: unknown[]) => Promise<void>, ...args: unknown[]) => Promise<void>,
) {
  const handle = await fs.open(folder);
  const all = Object.getPrototypeOf(handle);
  await handle.close();
  const original = all[name];
  const spy = vi.spyOn(all, name);
  spy.mockImplementationOnce(function (this: unknown, ...args: unknown[]) {
    return instead(original.bind(this), ...args);
  });
}

const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });

test.each<[what: string, write: Parameters<typeof nextCall>, isThere: boolean]>([
  ["before anything is written", ["appendFile", () => Promise.reject(full)], false],
  [
    "in the middle of a line",
    [
      "appendFile",
      async (append, text) => {
        await append(String(text).slice(0, 20));
        throw full;
      },
    ],
    false,
  ],
  ["when all is written", ["datasync", () => Promise.reject(full)], true],
])(
  "a disk that is full %s is told in words, and saves go on from what is in the file",
  async (_, write, isThere) => {
    const store = fileStore(path);
    await store.save("a", 1, undefined);
    await nextCall(...write);
    const message = `Cannot use ${path}: no space left on device.`;
    expect(await rejection(store.save("a", 2, 1))).toMatchObject({ code: "ENOSPC", message });
    const stored = isThere ? 2 : 1;
    expect(await store.load("a")).toBe(stored);
    expect(await store.save("a", 3, 3 - stored)).toBe(false);
    expect(await store.save("a", 4, stored)).toBe(true);
    await store.save("b", 5, undefined);
    await store.close();
    expect(await list()).toEqual({ a: 4, b: 5 });
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
  ["written to", () => appendFileSync(path, good.replace('"a"', '"c"')), "was written to by something else"],
  ["broken", () => appendFileSync(path, "\n"), "was written to by something else"],
  ["emptied", () => truncateSync(path), "was written to by something else"],
];
test.each(taken)("nothing more is begun once the file was %s", async (_, take, message) => {
  const store = fileStore(path);
  await store.save("a", 1, undefined);
  take();
  for (const key of ["b", "c"]) {
    const error = await rejection(store.save(key, 2, undefined));
    expect(error).toMatchObject({ name: "ConfigurationError", message: expect.stringContaining(message) });
  }
  await store.close();
  expect(existsSync(path) && contents().includes('"b"')).toBe(false);
});

test("a save during whose write the lock is taken away is not told stored", async () => {
  const store = fileStore(path);
  await store.save("a", 1, undefined);
  await nextCall("datasync", (sync) => {
    rmSync(`${path}.lock`, { recursive: true });
    return sync();
  });
  const error = await rejection(store.save("a", 2, 1));
  expect(error).toMatchObject({
    message: expect.stringContaining("was removed or taken. Nothing more is sent."),
  });
  await store.close();
  expect(await list()).toEqual({ a: 2 });
});

test("a link that was moved to another file while it was in use is noticed", async () => {
  const link = join(folder, "link");
  symlinkSync("sets.json", link);
  const store = fileStore(link);
  await store.save("a", 1, undefined);
  writeFileSync(join(folder, "other.json"), "");
  rmSync(link);
  symlinkSync("other.json", link);
  expect(await rejection(store.save("b", 2, undefined))).toMatchObject({ name: "ConfigurationError" });
  await store.close();
  expect(readFileSync(join(folder, "other.json"), "utf8")).toBe("");
});

test("a path without a device, as Windows has it with some versions of Node, is that of its file", async () => {
  const { stat } = fs;
  fs.stat = (async (name: string) => Object.assign(await stat(name), { dev: 0 })) as typeof fs.stat;
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.stat = stat;
    syncBuiltinESMExports();
  });
  await save("a", 1);
  expect(await load("a")).toBe(1);
});

/** Two stores of one file that see no common lock, as a process that was suspended and the one that took over. */
async function twoHolders() {
  mkdirSync(join(folder, "other"), { recursive: true });
  const other = join(folder, "other", "sets.json");
  if (!existsSync(path)) writeFileSync(path, "");
  linkSync(path, other);
  const [sleeper, taker] = [fileStore(path), fileStore(other)];
  onTestFinished(async () => void (await Promise.all([sleeper.close(), taker.close()])));
  await Promise.all([sleeper.open(), taker.open()]);
  return { sleeper, taker };
}

const lost = {
  name: "ConfigurationError",
  message: expect.stringContaining("was written to by something else"),
};

test.each([
  ["a file that has values", { a: 1 }],
  ["a new file", {}],
])(
  "a line that lands late in %s changes nothing where another one was saved, and its writer is told",
  async (_, before) => {
    for (const [key, value] of Object.entries(before)) await save(key, value);
    const { sleeper, taker } = await twoHolders();
    const previous = await sleeper.load("a");
    await nextCall("appendFile", async (append, text) => {
      expect(await taker.save("a", "taker", previous)).toBe(true);
      await append(text);
    });
    expect(await rejection(sleeper.save("a", "late", previous))).toMatchObject(lost);
    expect(await taker.save("b", 2, undefined)).toBe(true);
    expect(await taker.load("a")).toBe("taker");
    await Promise.all([sleeper.close(), taker.close()]);
    expect(await list()).toEqual({ a: "taker", b: 2 });
  },
);

test.each([
  ["a file that has values", { a: 1 }],
  ["a new file", {}],
])("what lands late behind a torn line in %s is read as if it stood alone", async (_, before) => {
  for (const [key, value] of Object.entries(before)) await save(key, value);
  const { sleeper, taker } = await twoHolders();
  await nextCall("appendFile", async (append, text) => {
    await nextCall("appendFile", async (append, text) => {
      await append(String(text).slice(0, -20));
      throw full;
    });
    expect(await rejection(taker.save("c", value, undefined))).toMatchObject({ code: "ENOSPC" });
    await append(text);
  });
  expect(await sleeper.save("b", "late", undefined)).toBe(true);
  await Promise.all([sleeper.close(), taker.close()]);
  expect(await list()).toEqual({ ...before, b: "late" });
});

test("two processes that both end the last line leave no empty one, and a line break that comes late is none", async () => {
  await save("a", 1);
  writeFileSync(path, contents().trimEnd());
  const { sleeper, taker } = await twoHolders();
  await nextCall("appendFile", async (append, text) => {
    expect(await taker.save("b", 2, undefined)).toBe(true);
    await append(text);
  });
  expect(await rejection(sleeper.save("c", 3, undefined))).toMatchObject(lost);
  await Promise.all([sleeper.close(), taker.close()]);
  expect(await list()).toEqual({ a: 1, b: 2, c: 3 });

  writeFileSync(path, contents().trimEnd());
  const store = fileStore(path);
  expect(await store.load("a")).toBe(1);
  appendFileSync(path, "\n");
  expect(await store.save("a", 2, 1)).toBe(true);
  await store.close();
  expect(await list()).toEqual({ a: 2, b: 2, c: 3 });
});

test("who has lost the file ends what it began, where nobody went on with it, and begins nothing", async () => {
  await save("c", "before");
  const { sleeper, taker } = await twoHolders();
  for (const key of ["a", "b", "d", "f"]) await sleeper.save(key, "begun", undefined);
  await sleeper.save("c", "again", "before");
  // Put back: these are to be begun anew.
  await sleeper.save("c", "before", "again");
  await sleeper.save("d", undefined, "begun");
  expect(await rejection(taker.save("e", "begun", undefined))).toMatchObject(lost);
  await taker.close();
  expect(await taker.save("b", "taken", "begun")).toBe(true);
  await taker.save("f", "taken", "begun");
  await taker.save("f", "begun", "taken");

  for (const [key, next, previous] of [
    ...["a", "b", "f"].map((key) => [key, "ended", "begun"]),
    ...["d", "e"].map((key) => [key, "begun"]),
    ["c", "again", "before"],
  ]) {
    expect(await rejection(sleeper.save(key as string, next, previous))).toMatchObject(lost);
  }
  await Promise.all([sleeper.close(), taker.close()]);
  expect(await list()).toEqual({ a: "ended", b: "taken", c: "before", f: "ended" });
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
