import { resolve } from "node:path";

const readingInstalled = ["--allow-all", "--node-modules-dir=manual", "--no-check"];

export const executable = resolve("node_modules/.bin/deno");
export const runs = (file) => ["run", ...readingInstalled, file];
export const tests = (file) => ["test", ...readingInstalled, file];
