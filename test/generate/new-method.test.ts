import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { documentText, parseDocument } from "../../scripts/vet/parse-document.js";
import { changed, type Document, generate } from "../helpers/generated-module.js";
import { type WorkingCopy, workingCopy } from "../helpers/working-copy.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));

const text = { type: "string" };
const json = (schema: object) => ({ "application/json": { schema } });
const inPath = (name: string, schema: object = text) => ({ name, in: "path", required: true, schema });
const inQuery = (name: string, schema: object) => ({ name, in: "query", schema });

/** The service's document, with operations of every kind that may get a method. */
const document = changed(({ paths }) => {
  const { responses } = paths["/public/v1/apps"].post;
  paths["/public/v1/apps/{appId}"] = {
    get: { parameters: [inPath("appId")], responses },
    delete: { parameters: [inPath("appId")], responses: { 204: { description: "It is gone." } } },
  };
  const parameters = [
    inQuery("limit", { type: "integer", minimum: 1, maximum: 100, default: 20 }),
    { ...inQuery("sort", { ...text, enum: ["newest", "oldest"] }), required: true },
  ];
  const page = { type: "object", required: ["jobs"], properties: { jobs: { type: "array", items: text } } };
  paths["/public/v1/jobs"] = {
    get: { parameters, responses: { 200: { description: "", content: json(page) } } },
  };
  const reason = { type: "object", properties: { reason: text } };
  const place = { type: "integer", minimum: 0, maximum: 9 };
  paths["/public/v1/jobs/{jobId}/slides/{place}/redo"] = {
    post: {
      parameters: [inPath("place", place), inPath("jobId")],
      requestBody: { content: json(reason) },
      responses: { 202: { description: "It is redone." } },
    },
  };
});

/** What a maintainer writes for the methods: in which file, before which text. */
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
  { name: "deleteApp", call: "apps.delete", method: "delete", path: "/public/v1/apps/{id}", answer: { status: 204 }, needed: [] },
  { name: "listJobs", call: "jobs.list", method: "get", path: "/public/v1/jobs", takesQuery: true, answer: { status: 200 }, needed: ["jobs"] },
  { name: "redoSlide", call: "jobs.redo", method: "post", path: "/public/v1/jobs/{id}/slides/{place}/redo", answer: { status: 202 }, needed: [] },
`,
  ],
  [
    "src/types.ts",
    "/** The status of a job, as",
    `
/** The parameters of \`jobs.list\`. */
export type ListJobsParams = paths["/public/v1/jobs"]["get"]["parameters"]["query"];
/** Some jobs. */
export type JobList = AnswerOf<paths["/public/v1/jobs"]["get"]>;
`,
  ],
  ["src/resources.ts", " PlannedSet }", " JobList, ListJobsParams,"],
  [
    "src/resources.ts",
    "}\n\n/** The calls of `client.screenshots`. */",
    `
  /** Fetches an app (\`getApp\`, \`GET /public/v1/apps/{id}\`). */
  get(appId: string, options?: RequestOptions): Promise<App>;
  /** Deletes an app (\`deleteApp\`, \`DELETE /public/v1/apps/{id}\`). */
  delete(appId: string, options?: RequestOptions): Promise<void>;
`,
  ],
  [
    "src/resources.ts",
    "  /**\n   * Fetches a job once",
    `  /** Lists jobs (\`listJobs\`, \`GET /public/v1/jobs\`). */
  list(params: ListJobsParams, options?: RequestOptions): Promise<JobList>;
  /** Plans a slide anew (\`redoSlide\`). */
  redo(jobId: string, place: number, options?: RequestOptions): Promise<void>;
`,
  ],
  ["src/client.ts", " getJob } from", " deleteApp, getApp, listJobs, redoSlide,"],
  ["src/client.ts", "  Job,\n", "  JobList,\n"],
  [
    "src/client.ts",
    "  };\n\n  /** Screenshot sets,",
    `
    get: async (id, options = {}) => {
      const { value } = await this.#api.call(getApp, { params: { path: { id } } }, options);
      return value as App;
    },
    delete: async (id, options = {}) => {
      await this.#api.call(deleteApp, { params: { path: { id } } }, options);
    },
`,
  ],
  [
    "src/client.ts",
    "  };\n\n  /**\n   * Polls a job until",
    `    list: async (query, options = {}) => {
      const { value } = await this.#api.call(listJobs, { params: { query } }, options);
      return value as JobList;
    },
    redo: async (id, place, options = {}) => {
      await this.#api.call(redoSlide, { params: { path: { id, place } } }, options);
    },
`,
  ],
];

/** Compiled with the SDK, before anything is generated. */
const typed = `
import { ScreenshotSets } from "./index.js";
export async function use(client: ScreenshotSets): Promise<string[]> {
  const { jobs } = await client.jobs.list({ sort: "newest", limit: 5 });
  // @ts-expect-error a limit is a number
  await client.jobs.list({ sort: "newest", limit: "5" });
  // @ts-expect-error there is no such parameter
  await client.jobs.list({ sort: "newest", limti: 5 });
  return jobs;
}
`;

/** Code of a user of a service that has these operations. */
const use = `
import { ScreenshotSets } from "./src/index.js";
const app = { appId: "app_1", name: "Example", category: "Games", artworkUrl: "https://example.com/icon.png" };
const sent = [];
const fetch = async (url, { method, body }) => {
  const address = url.slice("https://example.com/api/v1/public/v1".length);
  sent.push(method + " " + address + (body ?? ""));
  if (method === "DELETE") return new Response(null, { status: 204 });
  if (method === "POST") return new Response("", { status: 202 });
  return Response.json(address.startsWith("/jobs") ? { jobs: ["job_1"] } : address === "/apps/app_1" ? app : {});
};
const logger = { debug() {}, info() {}, error() {}, warn: (line) => console.log(line) };
const { apps, jobs } = new ScreenshotSets({ apiKey: "key", baseUrl: "https://example.com/api/v1", fetch, logger });
const issues = (call) => call.catch(({ issues }) => issues.map(({ path, message }) => path + ": " + message).join());

console.log((await apps.get("app_1")).name);
console.log(await issues(apps.get("app_2")));
console.log(await apps.delete("app_1"));
console.log((await jobs.list({ sort: "newest", limit: 5 })).jobs);
console.log(await issues(jobs.list({ limit: 500 })));
await jobs.list({ sort: "oldest", limti: 5 });
console.log(await jobs.redo("job_1", 9));
console.log(await issues(jobs.redo("job_1", 10)));
console.log(await issues(jobs.redo("..", 9)));
console.log(sent.join(", "));
`;

/** A copy of the repository in which the methods were written. */
function withMethods(): WorkingCopy {
  const copy = workingCopy();
  onTestFinished(copy.dispose);
  cpSync(path.join(repository, "scripts"), path.join(copy.root, "scripts"), { recursive: true });
  for (const [file, before, text] of written) {
    const [head, ...rest] = copy.read(file).split(before);
    expect({ file, before, found: rest.length }).toEqual({ file, before, found: 1 });
    copy.write(file, `${head}${text}${before}${rest}`);
  }
  return copy;
}

/** Runs a program in a copy, and returns the lines that it prints. */
async function runIn(copy: WorkingCopy, ...args: string[]): Promise<string[]> {
  const tsx = path.join(repository, "node_modules/tsx/dist/cli.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, [tsx, ...args], { cwd: copy.root });
  return stdout.trim().split("\n");
}

const calls = ["apps.delete", "apps.get", "jobs.list", "jobs.redo"].map((call) => `\`${call}\``);
const news = `each of ${calls.slice(0, 3).join(", ")} and ${calls[3]} is new`;

test("operations of every kind get methods, by their rows and the methods", async () => {
  const copy = withMethods();
  copy.write("src/typed.ts", typed);
  // Released documents need not have the paths that the SDK knows, or the operations.
  const released = changed((one) => {
    const paths = Object.entries<Document>(one.paths).map(([path, item]) => [`/api/v1${path}`, item]);
    one.paths = Object.fromEntries(paths);
  });
  copy.write(".changeset/released-openapi.json", JSON.stringify(released));

  const report = await runIn(copy, "scripts/generate.ts", "--from", copy.documentFile(document));

  expect(report.slice(0, 2)).toEqual(["level: additive", `additive: ${news}`]);
  copy.write("use.js", use);
  expect(await runIn(copy, "use.js")).toEqual([
    "Example",
    "appId: Expected a string, got undefined",
    "undefined",
    "[ 'job_1' ]",
    'limit: Expected at most 100,sort: Expected "newest" or "oldest"',
    "`listJobs` has no parameter `limti`. Did you mean `limit`?",
    "undefined",
    "place: Expected at most 9",
    'id: Expected a string that is not empty, "." or ".."',
    [
      "GET /apps/app_1, GET /apps/app_2, DELETE /apps/app_1, GET /jobs?limit=5&sort=newest",
      "GET /jobs?sort=oldest&limti=5, POST /jobs/job_1/slides/9/redo",
    ].join(", "),
  ]);
}, 120_000);

test("a method has its changeset, also if its path was released before, and until that is released", async () => {
  const copy = withMethods();
  // As the last release left it: the document with the operations, and no methods for them.
  for (const [name, code] of await generate(document)) copy.write(`src/generated/${name}`, code);
  const published = documentText(parseDocument(JSON.stringify(document)));
  for (const file of ["openapi.json", ".changeset/released-openapi.json"]) copy.write(file, published);

  expect((await runIn(copy, "scripts/generate.ts")).slice(0, 2)).toEqual([
    "level: additive",
    `additive: ${news}`,
  ]);
  const changesets = () => [...copy.files().keys()].filter((file) => file.startsWith(".changeset/openapi-"));
  expect(changesets().map(copy.read)).toEqual([expect.stringContaining(`- ${news}\n`)]);
  expect(await runIn(copy, "scripts/generate.ts", "--check")).toEqual([""]);
  expect((await runIn(copy, "scripts/generate.ts", "--from", copy.documentFile(document)))[0]).toBe(
    "level: none",
  );
  expect(changesets()).toHaveLength(1);

  for (const file of changesets()) copy.remove(file);
  expect(await runIn(copy, "scripts/generate.ts", "--check")).toEqual([""]);
}, 120_000);
