import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { builtFile, own } from "../contestants.js";
import type { Part } from "../part.js";

const rounds = 21;
const folder = fileURLToPath(new URL("..", import.meta.url));

/** An empty file, because the first import of a process also loads the loader. */
const nothing = `${folder}nothing.js`;
const clients = [
  builtFile("index.js"),
  ...["openapi-fetch", "replicate", "@runwayml/sdk", "@fal-ai/client", "assemblyai", "openai"],
];

/** The milliseconds that an import takes in a process where nothing is loaded yet. */
async function importMs(file: string): Promise<number> {
  const program = `const startedAt = performance.now();
    await import(${JSON.stringify(file)});
    console.log(performance.now() - startedAt);`;
  const { NODE_OPTIONS: _, ...env } = process.env;
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: folder,
    env,
  });
  return Number(stdout);
}

export const imports: Part = {
  title: "How long a cold start takes",
  async measure() {
    const fastest = new Map<string, number>();
    for (let round = 0; round < rounds; round++) {
      for (const file of [nothing, ...clients]) {
        fastest.set(file, Math.min(await importMs(file), fastest.get(file) ?? Number.POSITIVE_INFINITY));
      }
    }
    const ms = (file: string) => (fastest.get(file) as number) - (fastest.get(nothing) as number);
    const [ours] = clients as [string];
    return {
      goals: [{ name: "import ÷ replicate's", measured: ms(ours) / ms("replicate"), atMost: 0.7 }],
      columns: ["", "import, ms", "÷ replicate's"],
      rows: clients.map((file) => [file === ours ? own : file, ms(file), ms(file) / ms("replicate")]),
      notes: `Each in a new process, over what an empty file takes there. The fastest of ${rounds} rounds, in which the contestants take turns: whatever else the machine does only adds to it.`,
    };
  },
};
