import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { type ClientProgram, clientPrograms } from "../clients.js";
import { peer } from "../contestants.js";
import type { Part } from "../part.js";

interface Bundler {
  build(options: object): Promise<{ outputFiles: { contents: Uint8Array }[] }>;
}

/** The size in bytes of a program with everything that it needs: minified, and minified and gzipped. */
async function sizeOf({ build }: Bundler, { esm, imported, client, call }: ClientProgram) {
  const contents = `import { ${imported} as Client } from ${JSON.stringify(esm)};
    const client = ${client};
    export const call = () => ${call};`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL("..", import.meta.url)) },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "node20",
    write: false,
    logLevel: "error",
  });
  const minified = outputFiles[0]?.contents ?? new Uint8Array();
  return { minified: minified.length, gzipped: gzipSync(minified, { level: 9 }).length };
}

export const part: Part = {
  name: "size",
  title: "What a client weighs",
  async run() {
    const bundler = await peer<Bundler>("esbuild");
    const sizes: [name: string, minified: number, gzipped: number][] = [];
    for (const program of clientPrograms) {
      const { minified, gzipped } = await sizeOf(bundler, program);
      sizes.push([program.name, minified / 1000, gzipped / 1000]);
    }
    return {
      columns: ["", "minified, kB", "and gzipped, kB"],
      rows: sizes,
      notes: ["A client and one call, bundled by esbuild with all that they need. 1 kB is 1,000 bytes."],
    };
  },
};
