import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "tsup";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listening } from "../helpers/raw-server.js";
import { repository } from "../helpers/repository.js";
import { job } from "../helpers/wait-scene.js";

const folder = join(repository, "test", ".exit");

/** A service where a job's id says what becomes of it. */
const server = createServer((request, response) => {
  const id = request.url?.split("/").at(-1) as string;
  if (id === "hang") return;
  if (id === "forbidden") response.statusCode = 403;
  response.end(JSON.stringify(job(id, id.split("-")[0] as string)));
});

let port: number;

beforeAll(async () => {
  await build({
    entry: ["test/process-exit/wait-and-end.ts"],
    outDir: folder,
    config: false,
    silent: true,
    format: "esm",
    target: "node20",
    noExternal: [/./],
  });
  port = await listening(server);
}, 60_000);

afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  "success",
  "a refusal",
  "the deadline",
  "the deadline, with a request in flight",
  "an abort of many that share a signal",
  "a loop that is left",
  "a return() during a pending next()",
])("a process exits at once when its wait has ended by %s", async (how) => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(folder, "wait-and-end.js"), `http://127.0.0.1:${port}/api/v1`, how],
    { timeout: 50_000 },
  );
  // The shortest timer that a wait could leave behind here is one of 20 s; those of `fetch` itself are shorter.
  expect(Number(stdout)).toBeLessThan(15_000);
});
