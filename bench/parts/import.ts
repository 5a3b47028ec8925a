import { fileURLToPath } from "node:url";
import { type ClientProgram, clientPrograms } from "../clients.js";
import { builtFile } from "../contestants.js";
import { inFreshProcess } from "../fresh-process.js";
import type { Part } from "../part.js";

const rounds = 21;

/** Answers immediately. It is set first, because most clients look up `fetch` when they are made or called. */
const stubbedFetch = `const answer = JSON.stringify({ jobId: "job_1", id: "id_1", credits: { cost: 10, remaining: 90 } });
globalThis.fetch = async () => new Response(answer, { status: 200, headers: { "content-type": "application/json" } });
await fetch();`;

const importing = (from: string) => `await import(${JSON.stringify(from)})`;
const requiring = (from: string) => `require(${JSON.stringify(from)})`;
const timed = (before: string, what: string) =>
  `${before}; const startedAt = performance.now(); ${what}; console.log(performance.now() - startedAt);`;

const firstCall = ({ esm, imported, client, call }: ClientProgram) =>
  `const { ${imported}: Client } = ${importing(esm)}; const client = ${client}; await ${call}`;

/** The programs that are timed for a contestant, in the order of the columns. */
const programsFor = (program: ClientProgram): [program: string, format: "module" | "commonjs"][] => [
  [timed("", importing(program.esm)), "module"],
  [timed("", requiring(program.cjs)), "commonjs"],
  [timed(stubbedFetch, firstCall(program)), "module"],
];

/** The baseline: the time to import an empty file, because the first import also loads the loader. */
const nothing = (extension: string) =>
  fileURLToPath(new URL(`../nothing/index.${extension}`, import.meta.url));
const emptyPrograms: ReturnType<typeof programsFor> = [
  [timed("", importing(nothing("mjs"))), "module"],
  [timed("", requiring(nothing("cjs"))), "commonjs"],
  [timed(stubbedFetch, importing(nothing("mjs"))), "module"],
];

const mockPrograms: ReturnType<typeof programsFor> = [
  [timed("", importing(builtFile("mock/index.js"))), "module"],
  [timed("", requiring(builtFile("mock/index.cjs"))), "commonjs"],
];

export const part: Part = {
  name: "import",
  title: "How long a cold start takes",
  async run() {
    const contestants = [
      { name: "nothing", programs: emptyPrograms },
      ...clientPrograms.map((program) => ({ name: program.name, programs: programsFor(program) })),
      { name: "screenshot-sets/mock", programs: mockPrograms },
    ].map(({ name, programs }) => ({
      name,
      columns: programs.map((program) => ({ program, times: [] as number[] })),
    }));
    for (let round = 0; round < rounds; round++) {
      for (const { columns } of contestants) {
        for (const { program, times } of columns) times.push(await inFreshProcess(...program));
      }
    }
    const [nothing, ...others] = contestants.map(({ name, columns }) => ({
      name,
      fastest: columns.map(({ times }) => Math.min(...times)),
    }));
    const rows = others.map(({ name, fastest }) => ({
      name,
      times: fastest.map((time, column) => time - (nothing?.fastest[column] ?? 0)),
    }));
    const ms = (name: string, column = 0) =>
      rows.find((row) => row.name === name)?.times[column] ?? Number.NaN;
    return {
      columns: ["", "import, ms", "require, ms", "import and first call, ms"],
      rows: rows.map(({ name, times }) => [name, ...[0, 1, 2].map((column) => times[column] ?? "")]),
      goals: [
        { name: "import ÷ replicate's", measured: ms("screenshot-sets") / ms("replicate"), atMost: 0.5 },
        { name: "import of the mock, ms", measured: ms("screenshot-sets/mock"), atMost: 5 },
      ],
      notes: [
        `Each in a fresh process, over what an empty file takes there: the fastest of ${rounds} rounds, as what else the machine does only ever adds to a start.`,
        "The first call goes to a stubbed `fetch` that has been called before, so that Node's own is not counted.",
      ],
    };
  },
};
