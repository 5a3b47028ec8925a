import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join, posix } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

/**
 * Who may import whom in `src`, from the command line down to what is generated. A file imports files of its own
 * row and of the rows below it, type-only imports included; a name ending in `/` stands for a folder.
 */
const layers = [
  ["cli/"],
  ["index.ts"],
  ["client.ts"],
  ["call.ts", "wait.ts", "request-types.ts"],
  ["send.ts", "poll-stream.ts", "poll-times.ts", "job-watch.ts"],
  ["wait-errors.ts", "poll-queue.ts", "waiter.ts"],
  ["answer.ts", "retry.ts", "attempt.ts", "plans-by-kind.ts", "timeline.ts", "log.ts", "slow-down.ts"],
  ["learned-plan.ts"],
  ["duration-memory.ts", "place-looks.ts", "poll-plan.ts"],
  [
    "options.ts",
    "clock.ts",
    "clock-hooks.ts",
    "request-init.ts",
    "key.ts",
    "redact.ts",
    "redact-text.ts",
    "is-terminal.ts",
    "message-in.ts",
    "on-abort.ts",
    "due-heap.ts",
  ],
  ["errors.ts"],
  ["types.ts"],
  ["generated/"],
  ["schema.ts"],
  ["schema-kinds.ts"],
];

/** What the mock may import besides its own files: it shares with the client little but what is generated. */
const sharedWithMock = ["generated/", "schema.ts", "clock-hooks.ts"];

/** What else a file may import, by the file or folder that may; Node's own modules are `node:`. */
const others: Record<string, string[]> = {
  "cli/": ["node:", "../package.json"],
  "call.ts": ["openapi-fetch"],
  "schema.ts": ["zod"],
  "schema-kinds.ts": ["zod"],
  "mock/": ["node:", "zod"],
  "mock/msw.ts": ["msw"],
  "mock/published-document.ts": ["../openapi.json"],
};

const within = (file: string, places: string[]) =>
  places.some((place) => (place.endsWith("/") ? file.startsWith(place) : file === place));

/** Every file of a folder with what it imports: the folder's files by their path in it, all else as it is written. */
function importsIn(folder: string): Map<string, string[]> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".ts"));
  return new Map(
    files.map((file) => {
      const { importedFiles } = ts.preProcessFile(readFileSync(join(folder, file), "utf8"));
      return [
        file,
        importedFiles.map(({ fileName }) =>
          fileName.startsWith(".")
            ? posix.join(posix.dirname(file), fileName).replace(/\.js$/, ".ts")
            : fileName,
        ),
      ];
    }),
  );
}

const source = importsIn("src");
const isOwn = (name: string) => name.endsWith(".ts");
const layerOf = (file: string) => layers.findIndex((layer) => within(file, layer));

/** The edges between files that `isWrong`, as text, so that a failure names them. */
const edges = (isWrong: (from: string, to: string) => boolean) =>
  [...source].flatMap(([from, imported]) =>
    imported.filter((to) => isWrong(from, to)).map((to) => `${from} imports ${to}`),
  );

test("every source file has a place in the layers or in the mock, and every place has a file", () => {
  const files = [...source.keys()];
  expect(files.filter((file) => layerOf(file) === -1 && !within(file, ["mock/"]))).toEqual([]);
  const places = [...layers.flat(), ...sharedWithMock, ...Object.keys(others)];
  expect(places.filter((place) => !files.some((file) => within(file, [place])))).toEqual([]);
});

test("imports lead from the command line down to what is generated, never up", () => {
  const isUpwards = (from: string, to: string) =>
    layerOf(from) !== -1 && layerOf(to) !== -1 && layerOf(to) < layerOf(from);
  expect(edges(isUpwards)).toEqual([]);
});

test("the mock imports its own files and what is generated", () => {
  expect(
    edges((from, to) => within(from, ["mock/"]) && isOwn(to) && !within(to, ["mock/", ...sharedWithMock])),
  ).toEqual([]);
});

test("only the command line imports the mock, by its entry point", () => {
  expect(
    edges(
      (from, to) =>
        !within(from, ["mock/"]) &&
        within(to, ["mock/"]) &&
        !(within(from, ["cli/"]) && to === "mock/index.ts"),
    ),
  ).toEqual([]);
});

test("packages and manifests are imported only where the table says", () => {
  const isNode = (name: string) => name.startsWith("node:") || builtinModules.includes(name);
  const packageOf = (name: string) =>
    isNode(name) ? "node:" : name.startsWith(".") ? name : name.split("/")[0];
  const isAllowed = (from: string, name: string) =>
    Object.entries(others).some(
      ([place, names]) => within(from, [place]) && names.some((allowed) => allowed === packageOf(name)),
    );
  expect(edges((from, to) => !isOwn(to) && !isAllowed(from, to))).toEqual([]);
});

test("no file imports itself, on however long a way", () => {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, way: string[]) => {
    if (way.includes(file)) cycles.push([...way.slice(way.indexOf(file)), file].join(" → "));
    if (way.includes(file) || done.has(file)) return;
    for (const imported of source.get(file) ?? []) visit(imported, [...way, file]);
    done.add(file);
  };
  for (const file of source.keys()) visit(file, []);
  expect(cycles).toEqual([]);
});

test("scripts import nothing from the source", () => {
  const outside = [...importsIn("scripts")].flatMap(([from, imported]) =>
    imported
      .filter((to) => to.startsWith("../") || to.startsWith("screenshot-sets"))
      .map((to) => `${from} imports ${to}`),
  );
  expect(outside).toEqual([]);
});
