import { fileURLToPath } from "node:url";
import { freePort } from "../../test/helpers/free-port.js";
import { peer } from "../contestants.js";

async function isThere(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}

const document = fileURLToPath(new URL("../../openapi.json", import.meta.url));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
// Runs Prism's command in this process, without the lines that it would write for each request.
process.argv = [process.execPath, "prism", "mock", document, "--port", String(port), "-v", "silent"];
await peer("@stoplight/prism-cli");
while (!(await isThere(url))) await new Promise((resolve) => setTimeout(resolve, 50));
process.send?.({ url });
process.once("disconnect", () => process.exit());
