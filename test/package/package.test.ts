import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, posix } from "node:path";
import manifest from "screenshot-sets/package.json" with { type: "json" };
import { build } from "tsup";
import ts from "typescript";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { entryPoints } from "../../scripts/entry-points.js";
import { createConsumer } from "../helpers/consumer.js";
import { repository } from "../helpers/repository.js";

/** The entry points that need a package of the user's, and no other does. */
const peers: Record<string, string> = {
  "screenshot-sets/bullmq": "bullmq",
  "screenshot-sets/mock/msw": "msw",
  "screenshot-sets/undici": "undici",
};

const { tarball, files: packed } = inject("packed");
let project: ReturnType<typeof createConsumer>;
let consumer: string;
let installed: string;

const run = (command: string, args: string[], cwd: string) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** Runs a program in the consumer's project and gives back what it prints, as JSON. */
function evaluate(extension: "mjs" | "cjs", program: string): unknown {
  const file = join(consumer, `program.${extension}`);
  writeFileSync(file, program);
  return JSON.parse(run(process.execPath, [file], consumer));
}

beforeAll(() => {
  project = createConsumer(tarball);
  ({ folder: consumer, installed } = project);
  run("npm", ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", tarball], consumer);
});

afterAll(() => project.remove());

test("brings no other package with it", () => {
  const installedNames = readdirSync(join(consumer, "node_modules")).filter((name) => !name.startsWith("."));
  expect(installedNames).toEqual(["screenshot-sets"]);
  const kinds = Object.keys(manifest).filter((field) => /dependencies$/i.test(field));
  expect(kinds).toEqual(["peerDependencies", "devDependencies"]);
  const names = Object.values(peers);
  expect(manifest.peerDependenciesMeta).toEqual(
    Object.fromEntries(names.map((name) => [name, { optional: true }])),
  );
  expect(Object.keys(manifest.peerDependencies)).toEqual(names);
  const onInstallation = ["preinstall", "install", "postinstall", "prepare"];
  expect(Object.keys(manifest.scripts).filter((name) => onInstallation.includes(name))).toEqual([]);
});

const committedIn = (folder: string) => run("git", ["ls-files", folder], repository).trim().split("\n");

/** Packages as they were before the versions that work, with the names that those had. */
const oldPeers = {
  bullmq: ["4.18.3", "Queue: class {}, Worker: class {}"],
  msw: ["1.3.5", "rest: {}"],
  undici: ["5.29.0", "request() {}"],
} as const;

test("is installed beside peers of any version, and its entry points refuse older ones in words", () => {
  const folders = Object.entries(oldPeers).map(([name, [version, exported]]) => {
    const folder = join(consumer, "old", name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name, version }));
    writeFileSync(join(folder, "index.js"), `module.exports = { ${exported} };`);
    return folder;
  });
  const install = ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  run("npm", [...install, ...folders, tarball], consumer);
  const uses = {
    "screenshot-sets/bullmq": "createProcessor({}, { queue: {} })",
    "screenshot-sets/mock/msw": "handlers({ handle() {} })",
    "screenshot-sets/undici": "undiciFetch()",
  };
  const messages = Object.entries(uses).flatMap(([entry, use]) => [
    evaluate(
      "mjs",
      `import * as entry from "${entry}"; try { entry.${use} } catch ({ message }) { console.log(JSON.stringify(message)) }`,
    ),
    evaluate(
      "cjs",
      `const entry = require("${entry}"); try { entry.${use} } catch ({ message }) { console.log(JSON.stringify(message)) }`,
    ),
  ]);
  run("npm", ["uninstall", "--offline", "--no-audit", "--no-fund", ...Object.keys(oldPeers)], consumer);
  const [bullmq, , msw, , undici] = messages;
  expect(messages).toEqual([bullmq, bullmq, msw, msw, undici, undici]);
  expect(bullmq).toMatch(/^Expected bullmq 5 or later, found 4\.18\.3\./);
  expect(msw).toMatch(/^Expected msw 2\.10 or later/);
  expect(undici).toMatch(/^Expected undici 6 or later, found 5\.29\.0\./);
});

test("ships what is meant for users and nothing else", () => {
  const built = (entry: string) => ["cjs", "d.cts", "d.ts", "js"].map((end) => `dist/${entry}.${end}`);
  const meant = [
    ...Object.values(entryPoints).flatMap(built),
    "dist/cli/main.js",
    ...["client", "wait/polling"].flatMap((part) => [`dist/${part}.js`, `dist/${part}.cjs`]),
    "dist/assets/page.js",
    "dist/assets/style.css",
    ..."openapi.json package.json AGENTS.md CHANGELOG.md CONTRIBUTING.md LICENSE SECURITY.md".split(" "),
    ...["docs", "examples"].flatMap(committedIn),
    ...["bench/RESULTS.md", "README.md", "THIRD-PARTY-NOTICES.md"],
  ];
  const isShared = (path: string) =>
    /^dist\/([\w.-]+\/)?[\w.-]+-[\w-]{8}\.(js|cjs|d\.ts|d\.cts)$/.test(path) && !meant.includes(path);
  expect(packed.filter((path) => !isShared(path)).sort()).toEqual(meant.sort());
});

test("is a download of at most 500 kB", () => {
  expect(statSync(tarball).size).toBeLessThanOrEqual(500_000);
});

test("relative links of all shipped texts lead to what is shipped", () => {
  const isShipped = (target: string) =>
    packed.some((path) => path === target || path.startsWith(`${target}/`));
  const texts = packed.filter((path) => path.endsWith(".md"));
  const links = texts.flatMap((path) =>
    [...readFileSync(join(installed, path), "utf8").matchAll(/\]\((?!https?:|#)([^)#\s]+)[)#]/g)].map(
      ([, target = ""]) => posix.join(posix.dirname(path), target),
    ),
  );
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((target) => !isShipped(target))).toEqual([]);
});

test("names no folder of the machine that built it", () => {
  const folders = [repository, consumer, homedir()].map((folder) => folder.replace(/[\\/]$/, ""));
  const giveaways = [...folders.filter((folder) => folder !== ""), "file://"].map((start) => `${start}/`);
  const textOf = (path: string) => readFileSync(join(installed, path), "utf8");
  expect(packed.filter((path) => giveaways.some((start) => textOf(path).includes(start)))).toEqual([]);
});

test("its code and its types refer to nothing that a user may not have, nor its types to what is bundled", () => {
  const ending = /\.(js|cjs|d\.ts|d\.cts)$/;
  const foreign = packed
    .filter((path) => path.startsWith("dist/") && ending.test(path))
    .flatMap((path) => {
      const text = readFileSync(join(installed, path), "utf8");
      const own = path.replace("dist/", "").replace(ending, "");
      const entry = Object.keys(entryPoints).find((name) => entryPoints[name] === own) ?? "";
      const isForeign = (name: string) => !/^(\.|node:)/.test(name) && name !== peers[entry];
      const names = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
      const bundled = /\.d\.c?ts$/.test(path) ? (text.match(/\bzod\b|\$ZodType|openapi-fetch/gi) ?? []) : [];
      return [...names.filter(isForeign), ...bundled].map((name) => [path, name]);
    });
  expect(foreign).toEqual([]);
});

/** The files that an entry point loads as it is imported: its own and those of its chunks. */
function loadedBy(path: string, loaded = new Set([path])): string[] {
  const text = readFileSync(join(installed, path), "utf8");
  for (const [, name = ""] of text.matchAll(/(?:^|;)(?:import|export)\b(?:[^;"]*?\bfrom)?\s*"([^"]+)"/gm)) {
    const file = name.startsWith(".") ? posix.join(posix.dirname(path), name) : name;
    if (loaded.has(file)) continue;
    loaded.add(file);
    if (name.startsWith(".")) loadedBy(file, loaded);
  }
  return [...loaded];
}

test("importing an entry point loads no module of Node, nor what the mock needs later; the client is three files", () => {
  expect(loadedBy("dist/index.js")).toHaveLength(3);
  for (const path of ["dist/index.js", "dist/mock/index.js"]) {
    const files = loadedBy(path);
    expect(files.length).toBeGreaterThan(1);
    expect(files.filter((file) => !/^dist\/(index|mock\/index|chunk-\w+)\.js$/.test(file))).toEqual([]);
  }
});

test("a bundle of `pollDelayMs` and `isTerminal` alone is smaller than 5 kB", async () => {
  const program = join(consumer, "poll-delay.mjs");
  const sample = `import { isTerminal, pollDelayMs } from "screenshot-sets";
    console.log(isTerminal({ status: "queued" }), pollDelayMs(1_000));`;
  writeFileSync(program, sample);
  const outDir = join(consumer, "bundle");
  await build({ entry: [program], outDir, noExternal: [/./], minify: true, config: false, silent: true });
  const [file = ""] = readdirSync(outDir);
  const text = readFileSync(join(outDir, file), "utf8");
  expect(text.length).toBeLessThan(5_000);
});

test("carries the licences of what is bundled, and its command answers with its version", () => {
  const notices = readFileSync(join(installed, "THIRD-PARTY-NOTICES.md"), "utf8");
  for (const name of ["openapi-fetch", "zod"]) expect(notices).toMatch(new RegExp(`^## ${name} `, "m"));
  const command = join(consumer, "node_modules", ".bin", "screenshot-sets");
  expect(run(command, ["--version"], consumer).trim()).toBe(manifest.version);
});

test("every entry point exports what exports.txt lists, as ESM, as CommonJS and in both declarations", async () => {
  project.link(...Object.values(peers));
  const lists = ["d.ts", "d.cts"].map((end) => declaredExports(end));
  await expect(lists[0]).toMatchFileSnapshot("exports.txt");
  expect(lists[1]).toBe(lists[0]);

  const print = "console.log(JSON.stringify(namespaces.map((namespace) => Object.keys(namespace).sort())));";
  const names = JSON.stringify(Object.keys(entryPoints));
  const imported = evaluate(
    "mjs",
    `const namespaces = await Promise.all(${names}.map((name) => import(name))); ${print}`,
  );
  const required = evaluate("cjs", `const namespaces = ${names}.map((name) => require(name)); ${print}`);
  const declared = lists[0]
    ?.trim()
    .split("\n\n")
    .map((block) => [...block.matchAll(/^ {2}(?!type )\w+ (\w+)$/gm)].map(([, name]) => name).sort());
  expect(imported).toEqual(declared);
  expect(required).toEqual(declared);
});

test.each([
  ["mjs", "const load = (name) => import(name);"],
  ["cjs", "const load = async (name) => require(name);"],
] as const)("the page of the mock answers in %s", (extension, load) => {
  const program = `${load} load("screenshot-sets/mock").then(async ({ createMock }) => {
    const { pageUrl, close } = await createMock().listen({ page: true });
    const statuses = [];
    for (const path of ["", "_mock/state"]) statuses.push((await fetch(pageUrl + path)).status);
    await close();
    console.log(JSON.stringify(statuses));
  });`;
  expect(evaluate(extension, program)).toEqual([200, 200]);
});

/** What the packed declarations export, by entry point: a line for each name with what it is. */
function declaredExports(end: string): string {
  const files = Object.values(entryPoints).map((entry) => join(installed, "dist", `${entry}.${end}`));
  const all = packed.filter((path) => path.endsWith(`.${end}`)).map((path) => join(installed, path));
  // Its own files alone: reading those of its peers, Node and the language would take seconds.
  const program = ts.createProgram(all, {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    noResolve: true,
    noLib: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  return files
    .map((file, index) => {
      const source = program.getSourceFile(file);
      const module = source && checker.getSymbolAtLocation(source);
      const symbols = module ? checker.getExportsOfModule(module) : [];
      const lines = symbols.map((symbol) => `  ${kindOf(checker, symbol)} ${symbol.name}`).sort();
      return `${Object.keys(entryPoints)[index]}\n${lines.join("\n")}\n`;
    })
    .join("\n");
}

function kindOf(checker: ts.TypeChecker, symbol: ts.Symbol): string {
  const { flags } = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  if (flags & ts.SymbolFlags.Class) return "class";
  if (flags & ts.SymbolFlags.Function) return "function";
  return flags & ts.SymbolFlags.Value ? "const" : "type";
}
