import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { changed } from "../helpers/generated-module.js";
import { workingCopy } from "../helpers/working-copy.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** What a maintainer writes for a method: in which file, before which text. */
const written: [file: string, before: string, text: string][] = [
  [
    "scripts/openapi/known-operations.ts",
    '  {\n    name: "createScreenshots",',
    `  {
    name: "getApp",
    call: "apps.get",
    method: "get",
    path: "/public/v1/apps/{id}",
    answer: { status: 200, fields: object({ appId: text, name: text, category: text, artworkUrl: text }) },
    needed: ["appId"],
  },
`,
  ],
  [
    "src/resources.ts",
    "}\n\n/** The calls of `client.screenshots`. */",
    `
  /** Fetches an app (\`getApp\`, \`GET /public/v1/apps/{id}\`). */
  get(appId: string, options?: RequestOptions): Promise<App>;
`,
  ],
  ["src/client.ts", " getJob } from", " getApp,"],
  [
    "src/client.ts",
    "  };\n\n  /** Screenshot sets,",
    `
    get: async (id, options = {}) => {
      const { value } = await this.#api.call(getApp, { params: { path: { id } } }, options);
      return value as App;
    },
`,
  ],
];

/** Code of a user, who gets an app from a service of its own. */
const use = `
import { ScreenshotSets } from "./src/index.js";
const app = { appId: "app_1", name: "Example", category: "Games", artworkUrl: "https://example.com/icon.png" };
const fetch = async (url) => Response.json(String(url).endsWith("/api/v1/public/v1/apps/app_1") ? app : {});
const client = new ScreenshotSets({ apiKey: "key", baseUrl: "https://example.com/api/v1", fetch });
console.log((await client.apps.get("app_1")).name);
console.log(await client.apps.get("app_2").catch(({ issues }) => issues[0].path));
`;

test("an operation of the document gets a method by its row and the method", async () => {
  const copy = workingCopy();
  onTestFinished(copy.dispose);
  cpSync(path.join(repository, "scripts"), path.join(copy.root, "scripts"), { recursive: true });
  const inCopy = async (...args: string[]) => {
    const tsx = path.join(repository, "node_modules/tsx/dist/cli.mjs");
    const { stdout } = await promisify(execFile)(process.execPath, [tsx, ...args], { cwd: copy.root });
    return stdout.trim().split("\n");
  };
  // Released documents need not have the path that the SDK knows, or the operation.
  const released = changed((document) => {
    const paths = Object.entries(document.paths).map(([path, item]) => [`/api/v1${path}`, item]);
    document.paths = Object.fromEntries(paths);
  });
  copy.write(".changeset/released-openapi.json", JSON.stringify(released));
  const document = changed(({ paths }) => {
    const id = { name: "appId", in: "path", required: true, schema: { type: "string" } };
    const { responses } = paths["/public/v1/apps"].post;
    paths["/public/v1/apps/{appId}"] = { get: { parameters: [id], responses } };
  });
  const file = copy.documentFile(document);

  for (const [file, before, text] of written) {
    const [head, ...rest] = copy.read(file).split(before);
    expect({ file, before, found: rest.length }).toEqual({ file, before, found: 1 });
    copy.write(file, `${head}${text}${before}${rest}`);
  }
  const report = await inCopy("scripts/generate.ts", "--from", file);

  expect(report.slice(0, 2)).toEqual(["level: additive", "additive: `apps.get` is new"]);
  copy.write("use.js", use);
  expect(await inCopy("use.js")).toEqual(["Example", "appId"]);
}, 120_000);
