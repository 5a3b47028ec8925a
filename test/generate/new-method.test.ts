import { cpSync } from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { documentText, parseDocument } from "../../scripts/vet/parse-document.js";
import { changed, type Document, generate } from "../helpers/generated-module.js";
import { rejection } from "../helpers/rejection.js";
import { repository } from "../helpers/repository.js";
import { json, text } from "./schemas.js";
import { workingCopy } from "./working-copy.js";

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

/** A copy of the repository in which the methods were written. */
async function withMethods() {
  const copy = workingCopy();
  cpSync(path.join(repository, "scripts"), path.join(copy.root, "scripts"), { recursive: true });
  for (const [file, before, text] of written) {
    const [head, ...rest] = copy.read(file).split(before);
    expect({ file, before, found: rest.length }).toEqual({ file, before, found: 1 });
    copy.write(file, `${head}${text}${before}${rest}`);
  }
  const { runGenerate: command } = await import(path.join(copy.root, "scripts/run-generate.ts"));
  return { ...copy, run: (commandLine: string[]) => copy.run(commandLine, { command }) };
}

const calls = ["apps.delete", "apps.get", "jobs.list", "jobs.redo"].map((call) => `\`${call}\``);
const news = `each of ${calls.slice(0, 3).join(", ")} and ${calls[3]} is new`;

test("operations of every kind get methods, by their rows and the methods", async () => {
  const copy = await withMethods();
  copy.write("src/typed.ts", typed);
  // Released documents need not have the paths that the SDK knows, or the operations.
  const released = changed((one) => {
    const paths = Object.entries<Document>(one.paths).map(([path, item]) => [`/api/v1${path}`, item]);
    one.paths = Object.fromEntries(paths);
  });
  copy.write(".changeset/released-openapi.json", JSON.stringify(released));

  const { out } = await copy.run(["--from", copy.documentFile(document)]);

  expect(out.slice(0, 2)).toEqual(["level: additive", `additive: ${news}`]);

  const app = {
    appId: "app_1",
    name: "Example",
    category: "Games",
    artworkUrl: "https://example.com/icon.png",
  };
  const answers: Record<string, () => Response> = {
    "GET /apps/app_1": () => Response.json(app),
    "DELETE /apps/app_1": () => new Response(null, { status: 204 }),
    "GET /jobs?limit=5&sort=newest": () => Response.json({ jobs: ["job_1"] }),
    "POST /jobs/job_1/slides/9/redo": () => new Response("", { status: 202 }),
    "GET /jobs?sort=oldest&limti=5": () => Response.json({ jobs: [] }),
    "GET /apps/app_2": () => Response.json({}),
  };
  const sent: string[] = [];
  const fetch = async (url: string, { method }: RequestInit) => {
    sent.push(`${method} ${url.slice("https://example.com/api/v1/public/v1".length)}`);
    return answers[String(sent.at(-1))]?.();
  };
  const warn = vi.fn();
  const logger = { debug() {}, info() {}, error() {}, warn };
  const { ScreenshotSets } = await import(path.join(copy.root, "src/index.ts"));
  const { apps, jobs } = new ScreenshotSets({
    apiKey: "key",
    baseUrl: "https://example.com/api/v1",
    fetch,
    logger,
  });

  expect(await apps.get("app_1")).toMatchObject({ name: "Example" });
  expect(await apps.delete("app_1")).toBeUndefined();
  expect(await jobs.list({ sort: "newest", limit: 5 })).toMatchObject({ jobs: ["job_1"] });
  expect(await jobs.redo("job_1", 9)).toBeUndefined();
  expect(warn).not.toHaveBeenCalled();
  await jobs.list({ sort: "oldest", limti: 5 });
  expect(warn.mock.lastCall?.[0]).toBe("`listJobs` has no parameter `limti`. Did you mean `limit`?");
  const refused = [apps.get("app_2"), jobs.list({ limit: 500 }), jobs.redo("job_1", 10), jobs.redo("..", 9)];
  const issues = (await Promise.all(refused.map(rejection))).map(({ issues }) => issues);
  expect(issues).toEqual([
    [{ path: "appId", message: "Expected a string, got undefined" }],
    [
      { path: "limit", message: "Expected at most 100" },
      { path: "sort", message: 'Expected "newest" or "oldest"' },
    ],
    [{ path: "place", message: "Expected at most 9" }],
    [{ path: "id", message: 'Expected a string that is not empty, "." or ".."' }],
  ]);
  expect(sent).toEqual(Object.keys(answers));
}, 120_000);

test("a method has its changeset, also if its path was released before, and until that is released", async () => {
  const copy = await withMethods();
  // As the last release left it: the document with the operations, and no methods for them.
  for (const [name, code] of await generate(document)) copy.write(`src/generated/${name}`, code);
  const published = documentText(parseDocument(JSON.stringify(document)));
  for (const file of ["openapi.json", ".changeset/released-openapi.json"]) copy.write(file, published);

  expect((await copy.run([])).out.slice(0, 2)).toEqual(["level: additive", `additive: ${news}`]);
  const changesets = () => [...copy.files().keys()].filter((file) => file.startsWith(".changeset/openapi-"));
  expect(changesets().map(copy.read)).toEqual([expect.stringContaining(`- ${news}\n`)]);
  expect(await copy.run(["--check"])).toMatchObject({ exitCode: 0, err: [] });
  expect((await copy.run(["--from", copy.documentFile(document)])).out[0]).toBe("level: none");
  expect(changesets()).toHaveLength(1);

  for (const file of changesets()) copy.remove(file);
  expect(await copy.run(["--check"])).toMatchObject({ exitCode: 0, err: [] });
}, 120_000);
