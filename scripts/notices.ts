/** Writes the licences of the packages that esbuild's metafiles say are in `dist`, to THIRD-PARTY-NOTICES.md. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { distinct } from "./openapi/json.js";

const introduction = `# Third-party notices

\`screenshot-sets\` installs no other package. Code of the following ones is bundled into it. This file is
written by \`npm run build\` from their own licence files.
`;

/** The names of the packages in esbuild's metafiles of `dist`. */
function bundledPackages(): string[] {
  const files = readdirSync("dist", { recursive: true, encoding: "utf8" });
  const metafiles = files.filter((file) => /metafile-\w+\.json$/.test(file));
  if (metafiles.length === 0)
    throw new Error("Expected metafiles in dist: they say what is bundled. Please build first.");
  const names = metafiles.flatMap((file) => {
    const { inputs } = JSON.parse(readFileSync(join("dist", file), "utf8"));
    return Object.keys(inputs).flatMap(packageOf);
  });
  return distinct(names).sort();
}

const packageOf = (source: string) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? [];

/** One package's section: name, version, licence as its manifest has it, and its licence file word for word. */
function notice(name: string): string {
  const folder = join("node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)\b/i.test(file));
  if (files.length === 0) throw new Error(`${name} is bundled but has no licence file to ship.`);
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim());
  return `\n## ${name} ${version} (${license})\n\n\`\`\`text\n${texts.join("\n\n")}\n\`\`\`\n`;
}

writeFileSync("THIRD-PARTY-NOTICES.md", introduction + bundledPackages().map(notice).join(""));
