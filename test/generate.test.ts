import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, expect, test } from "vitest";
import { documentText, parseDocument } from "../scripts/document.js";
import { findDrift, type Places, writeFiles } from "../scripts/generated-files.js";
import { changed, type Document, generate, ownDocument } from "./helpers/generated-module.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
});

/** The own document and what is generated from it, in a folder of their own. */
async function freshPlaces(): Promise<Places> {
  const folder = await mkdtemp(path.join(tmpdir(), "screenshot-sets-"));
  folders.push(folder);
  const places = { document: path.join(folder, "openapi.json"), generated: path.join(folder, "generated") };
  await writeFiles(parse(ownDocument()), places);
  return places;
}

function parse(document: Document) {
  return parseDocument(JSON.stringify(document));
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

test("regenerating leaves no diff", async () => {
  const tsx = path.join(root, "node_modules", "tsx", "dist", "cli.mjs");
  const run = promisify(execFile)(process.execPath, [tsx, "scripts/generate.ts", "--check"], { cwd: root });
  await expect(run).resolves.toEqual({ stdout: "", stderr: "" });
}, 60_000);

test("reports a changed, a missing and an extra file, one line each, and writes nothing", async () => {
  const places = await freshPlaces();
  await writeFile(path.join(places.generated, "operations.ts"), "");
  await rm(path.join(places.generated, "openapi.ts"));
  await writeFile(path.join(places.generated, "left-over.ts"), "");
  expect(await findDrift(parse(ownDocument()), places)).toEqual([
    "generated/openapi.ts is missing",
    "generated/operations.ts is not what openapi.json asks for",
    "generated/left-over.ts is not generated",
  ]);
  expect(await readFile(path.join(places.generated, "operations.ts"), "utf8")).toBe("");
});

test("reports a document that is not in canonical form", async () => {
  const places = await freshPlaces();
  await writeFile(places.document, JSON.stringify(ownDocument()));
  expect(await findDrift(parse(ownDocument()), places)).toEqual([
    "openapi.json is not what openapi.json asks for",
  ]);
});

test("generating removes what is not generated and leaves no draft behind", async () => {
  const places = await freshPlaces();
  await writeFile(path.join(places.generated, "left-over.ts"), "");
  await writeFiles(parse(ownDocument()), places);
  expect((await readdir(places.generated)).sort()).toEqual(["openapi.ts", "operations.ts", "values.ts"]);
  expect((await readdir(path.dirname(places.document))).sort()).toEqual(["generated", "openapi.json"]);
  expect(await findDrift(parse(ownDocument()), places)).toEqual([]);
});

test("a refused document changes nothing", async () => {
  expect(() => parse(changed((document) => delete document.paths["/public/v1/apps"]))).toThrow(
    "Failed to accept the document: it lacks createApp (POST /public/v1/apps).",
  );
  const refusals = [
    [(document: Document) => (document.openapi = "2.0"), "it is not OpenAPI 3.0 or 3.1"],
    [
      (document: Document) => (document.components.schemas.App = { $ref: "https://other.test/app.json" }),
      "outside of itself",
    ],
    [(document: Document) => (document.components.schemas.App = { $ref: "#/nowhere" }), "does not hold"],
    [
      (document: Document) => delete document.paths["/public/v1/screenshots"].post.requestBody,
      "takes no JSON body",
    ],
    [
      (document: Document) => delete document.paths["/public/v1/jobs/{id}"].get.responses[200],
      "has no 2xx answer with a JSON body",
    ],
  ] as const;
  for (const [change, reason] of refusals) {
    expect(() => parse(changed(change))).toThrow(reason);
  }
  expect(() => parseDocument('{"openapi":"3.1.0","__proto__":{}}')).toThrow("`__proto__`");
  expect(() => parseDocument("openapi: 3.1.0")).toThrow("Please give it as JSON.");
});

test("the canonical form is sorted by code point and stays as it is", () => {
  const text = documentText({
    b: [2, 1],
    "10": {},
    "2": [],
    "\u{1f600}": 1,
    "\uffee": 2,
    a: { d: "é", c: null },
  });
  expect(text).toBe(
    [
      "{",
      '  "10": {},',
      '  "2": [],',
      '  "a": {\n    "c": null,\n    "d": "é"\n  },',
      '  "b": [\n    2,\n    1\n  ],',
      '  "\uffee": 2,',
      '  "\u{1f600}": 1',
      "}\n",
    ].join("\n"),
  );
  expect(documentText(JSON.parse(text))).toBe(text);
});

test("the order of the document's properties does not matter", async () => {
  expect(await generate(reversed(ownDocument()))).toEqual(await generate(ownDocument()));
});
