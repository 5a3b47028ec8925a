import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join, posix } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { pictureOf, rooms } from "./rooms.js";

/** Every file of a folder with what it imports: the folder's files by their path in it, all else as it is written. */
function importsIn(folder: string): Map<string, string[]> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => /\.tsx?$/.test(file) && !file.includes("node_modules/"));
  return new Map(
    files.map((file) => {
      const { importedFiles } = ts.preProcessFile(readFileSync(join(folder, file), "utf8"));
      const names = importedFiles.map(({ fileName }) => fileName);
      // The imports of a `.tsx` name no `x` either.
      return [
        file.replace(/x$/, ""),
        names.map((name) => (name.startsWith(".") ? fileAt(file, name) : name)),
      ];
    }),
  );
}

const fileAt = (from: string, name: string) => posix.join(posix.dirname(from), name).replace(/\.js$/, ".ts");

const source = importsIn("src");

/** The innermost room of a file, or what stands in the table for a package or a manifest. */
function roomOf(name: string): string {
  if (name.startsWith("node:") || builtinModules.includes(name)) return "node:";
  if (!name.endsWith(".ts"))
    return name.startsWith("..") ? posix.basename(name) : (name.split("/")[0] as string);
  const path = name.replace(/\.ts$/, "");
  const within = Object.keys(rooms).filter((room) => room === path || path.startsWith(room));
  return within.sort((one, other) => other.length - one.length)[0] ?? path;
}

test("every file of the source is in a room, and every room has a file", () => {
  const lived = [...source.keys()].map(roomOf);
  expect(lived.filter((room) => !(room in rooms))).toEqual([]);
  expect(Object.keys(rooms).filter((room) => !lived.includes(room))).toEqual([]);
});

test("a room imports what its row allows, and every row says what is imported", () => {
  const arrows = new Map<string, string>();
  for (const [from, imported] of source) {
    for (const to of imported) arrows.set(`${roomOf(from)} → ${roomOf(to)}`, `${from} imports ${to}`);
  }
  const isAllowed = (arrow: string) => {
    const [from = "", to = ""] = arrow.split(" → ");
    return from === to || rooms[from]?.includes(to);
  };
  expect(
    [...arrows].filter(([arrow]) => !isAllowed(arrow)).map(([arrow, example]) => `${arrow}: ${example}`),
  ).toEqual([]);
  const allowed = Object.entries(rooms).flatMap(([from, tos]) => tos.map((to) => `${from} → ${to}`));
  expect(allowed.filter((arrow) => !arrows.has(arrow))).toEqual([]);
});

test("the picture in CONTRIBUTING.md is that of the table", () => {
  const [picture] = /```mermaid.*?```/s.exec(readFileSync("CONTRIBUTING.md", "utf8")) ?? [];
  expect(picture).toBe(pictureOf(rooms));
});

test("openapi-fetch, undici and msw are known to one file each", () => {
  const importers = (name: string) => [...source].filter(([, imported]) => imported.includes(name));
  expect(importers("openapi-fetch")).toHaveLength(1);
  expect(importers("undici")).toHaveLength(1);
  expect(importers("msw")).toHaveLength(1);
});

test.each(["src", "scripts", "bench", "test"])(
  "in %s no file imports itself, on however long a way",
  (folder) => {
    const files = importsIn(folder);
    const circles: string[] = [];
    const done = new Set<string>();
    const visit = (file: string, way: string[]) => {
      if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(" → "));
      if (way.includes(file) || done.has(file)) return;
      for (const imported of files.get(file) ?? []) visit(imported, [...way, file]);
      done.add(file);
    };
    for (const file of files.keys()) visit(file, []);
    expect(circles).toEqual([]);
  },
);

test("scripts import nothing from the source", () => {
  const outside = [...importsIn("scripts")].flatMap(([from, imported]) =>
    imported
      .filter((to) => to.startsWith("../") || to.startsWith("screenshot-sets"))
      .map((to) => `${from} imports ${to}`),
  );
  expect(outside).toEqual([]);
});
