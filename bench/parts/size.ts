import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { own, peer } from "../contestants.js";
import type { Part } from "../part.js";

interface Bundler {
  build(options: object): Promise<{ outputFiles: { contents: Uint8Array }[] }>;
}

/** Files in `clients/`. */
const names = [own, "openapi-fetch", "replicate", "@runwayml/sdk", "@fal-ai/client", "assemblyai", "openai"];

/** The kilobytes of a client and one call with all that they need: minified, and also gzipped. */
async function sizeOf({ build }: Bundler, name: string) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../clients/${name}.js`, import.meta.url))],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "node20",
    write: false,
    logLevel: "error",
  });
  const minified = outputFiles[0]?.contents ?? new Uint8Array();
  return { minified: minified.length / 1000, gzipped: gzipSync(minified, { level: 9 }).length / 1000 };
}

export const size: Part = {
  title: "What a client weighs",
  async measure() {
    const bundler = await peer<Bundler>("esbuild");
    const sizes = await Promise.all(names.map(async (name) => ({ name, ...(await sizeOf(bundler, name)) })));
    const gzippedOf = (name: string) => sizes.find((size) => size.name === name)?.gzipped ?? Number.NaN;
    return {
      goals: [{ name: "a client ÷ openai's", measured: gzippedOf(own) / gzippedOf("openai"), atMost: 1 }],
      columns: ["", "minified, kB", "and gzipped, kB"],
      rows: sizes.map(({ name, minified, gzipped }) => [name, minified, gzipped]),
      notes: "A client and one call, bundled by esbuild with all that they need. 1 kB is 1,000 bytes.",
    };
  },
};
