import { parseEnv } from "node:util";
import { basePath } from "../generated/values.js";
import { UsageError } from "./command.js";
import { textOf } from "./input-file.js";
import type { Options } from "./usage.js";

/** Options of every command that needs the key or the address. */
export const environmentOptions = {
  "env-file": {
    value: "FILE",
    help: "set the variables of a file, such as .env, but those that are set already",
  },
} as const satisfies Options;

/**
 * Sets the variables of a file, as `node --env-file` does.
 *
 * @throws {UsageError} when it cannot be read
 */
export async function loadEnvironment({
  "env-file": file,
}: {
  "env-file"?: string | undefined;
}): Promise<void> {
  if (file === undefined) return;
  const variables = parseEnv(await textOf(file, `--env-file ${file}`));
  for (const [name, value] of Object.entries(variables)) process.env[name] ??= value;
}

/** @throws {UsageError} when the environment holds no key or no address */
export function checkEnvironment(): void {
  const missing = Object.entries({
    SCREENSHOT_SETS_API_KEY: "your secret key",
    SCREENSHOT_SETS_BASE_URL: `the service's address, such as https://api.example.com${basePath}`,
  }).filter(([name]) => !process.env[name]);
  if (missing.length === 0) return;
  const list = missing.map(([name, meaning]) => `${name} (${meaning})`).join(" and ");
  throw new UsageError(`Missing in the environment: ${list}. A file can hold them: --env-file FILE.`);
}
