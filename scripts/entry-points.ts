import { readFileSync } from "node:fs";

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/**
 * The entry points, by package.json's `exports`: what users import, with its path. In `src` and in `dist` that is the same
 * one, without the ending.
 */
export const entryPoints: Record<string, string> = Object.fromEntries(
  Object.keys(manifest.exports).flatMap((name) => {
    const file = manifest.exports[name].import?.default;
    return file ? [[name.replace(".", manifest.name), file.slice("./dist/".length, -".js".length)]] : [];
  }),
);
