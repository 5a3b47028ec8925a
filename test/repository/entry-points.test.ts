import { readFileSync } from "node:fs";
import manifest from "screenshot-sets/package.json" with { type: "json" };
import ts from "typescript";
import { expect, test } from "vitest";
import { entryPoints } from "../../scripts/entry-points.js";

test("each entry point is a file of the source and its builds as ESM and CommonJS, each with its types", () => {
  const builds = Object.entries(entryPoints).map(([name, path]) => {
    const build = (types: string, code: string) => ({
      types: `./dist/${path}.${types}`,
      default: `./dist/${path}.${code}`,
    });
    return [
      name.replace(manifest.name, "."),
      { import: build("d.ts", "js"), require: build("d.cts", "cjs") },
    ];
  });
  const manifests = ["openapi.json", "package.json"].map((name) => [`./${name}`, `./${name}`]);
  expect(manifest.exports).toEqual(Object.fromEntries([...builds, ...manifests]));
  expect(manifest).toMatchObject({
    main: manifest.exports["."].require.default,
    module: manifest.exports["."].import.default,
    types: manifest.exports["."].require.types,
  });
});

test("resolvers that know no `exports` find the types of each entry point in `typesVersions`", () => {
  const { [manifest.name]: _, ...parts } = entryPoints;
  const rows = Object.entries(parts).map(([name, path]) => [
    name.slice(`${manifest.name}/`.length),
    [`./dist/${path}.d.cts`],
  ]);
  expect(manifest.typesVersions["*"]).toEqual(Object.fromEntries(rows));
});

test("TypeScript finds the source of each entry point by its name", () => {
  const { config } = ts.parseConfigFileTextToJson("tsconfig.json", readFileSync("tsconfig.json", "utf8"));
  const sources = Object.entries(entryPoints).map(([name, path]) => [name, [`./src/${path}.ts`]]);
  const manifests = ["openapi.json", "package.json"].map((name) => [
    `${manifest.name}/${name}`,
    [`./${name}`],
  ]);
  expect(config.compilerOptions.paths).toEqual(Object.fromEntries([...sources, ...manifests]));
});
