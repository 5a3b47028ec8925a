import { fileURLToPath } from "node:url";
import { runGenerate } from "./run-generate.js";

process.exitCode = await runGenerate(process.argv.slice(2), {
  root: fileURLToPath(new URL("..", import.meta.url)),
  environment: process.env,
  timeoutMs: 30_000,
  say: (line) => console.log(line),
  complain: (line) => console.error(line),
});
