/**
 * Writes THIRD-PARTY-NOTICES.md: the licences of the packages whose code is in `dist`. It finds them in the source
 * maps, so nobody has to keep a list of what is bundled.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { byCodePoint } from "./openapi/json.js";

const introduction = `# Third-party notices

\`screenshot-sets\` installs no other package. Code of the following ones is bundled into it. This file is
written by \`npm run build\` from their own licence files.
`;

/** The names of the packages that the source maps below `folder` lead to. */
function bundledPackages(folder: string): string[] {
  const maps = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".map"),
  );
  if (maps.length === 0) {
    throw new Error(
      `Expected source maps in ${folder}: they say what is bundled. Please run the build first.`,
    );
  }
  const sources = maps.flatMap((file) => {
    const map: { sources: string[] } = JSON.parse(readFileSync(join(folder, file), "utf8"));
    return map.sources;
  });
  const names = sources.flatMap(
    (source) => source.match(/.*node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1] ?? [],
  );
  return [...new Set(names)].sort(byCodePoint);
}

/** One package's section: name, version, licence as its manifest has it, and its licence file word for word. */
function notice(name: string): string {
  const folder = join("node_modules", name);
  const manifest: { version: string; license: string } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)\b/i.test(file));
  if (files.length === 0) throw new Error(`${name} is bundled but has no licence file to ship.`);
  const texts = files.map((file) => readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim());
  return `\n## ${name} ${manifest.version} (${manifest.license})\n\n\`\`\`text\n${texts.join("\n\n")}\n\`\`\`\n`;
}

writeFileSync("THIRD-PARTY-NOTICES.md", introduction + bundledPackages("dist").map(notice).join(""));
