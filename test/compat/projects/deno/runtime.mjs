import { resolve } from "node:path";

const readingInstalled = ["--allow-all", "--node-modules-dir=manual", "--no-check"];

export const executable = resolve("node_modules/.bin/deno");
export const runs = (file) => ["run", ...readingInstalled, file];
export const tests = (file) => ["test", ...readingInstalled, file];
/** Whether a create may go out on the connection of an earlier call. */
export const keepsConnections = true;
/** Whether an error of `fetch` tells that no connection was made. */
export const tellsRefusals = true;
