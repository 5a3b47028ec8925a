import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readDocument } from "./document.js";
import { findDrift, type Places, writeFiles } from "./generated-files.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const places: Places = {
  document: path.join(root, "openapi.json"),
  generated: path.join(root, "src", "generated"),
};

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
  const document = await readDocument(places.document);
  if (!values.check) {
    await writeFiles(document, places);
    return 0;
  }
  const drift = await findDrift(document, places);
  for (const line of drift) {
    console.error(line);
  }
  return drift.length > 0 ? 1 : 0;
}

main().then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  },
);
