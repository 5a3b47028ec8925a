import { readdirSync } from "node:fs";
import { resolve } from "node:path";

// No script of a package runs at its installation, and one of them would put the executable in its place.
const [platform] = readdirSync("node_modules/@oven");

export const executable = resolve("node_modules/@oven", platform, "bin/bun");
export const runs = (file) => [file];
export const tests = (file) => ["test", `./${file}`];
/** Whether a create may go out on the connection of an earlier call. */
export const keepsConnections = false;
/** Whether an error of `fetch` tells that no connection was made. */
export const tellsRefusals = false;
