import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { build, createServer as createVite } from "vite";

export const paths = ["/development/sets", "/bundled/sets"];

/** The same module as Vite's server loads it, and as it is bundled with all that it imports. */
export async function start() {
  const vite = await createVite({
    appType: "custom",
    logLevel: "error",
    server: { middlewareMode: true, ws: false },
  });
  await build({
    logLevel: "error",
    ssr: { noExternal: true },
    build: {
      ssr: "plan-set.mjs",
      outDir: "bundled",
      rollupOptions: { output: { entryFileNames: "[name].mjs" } },
    },
  });
  const ways = {
    development: await vite.ssrLoadModule("/plan-set.mjs"),
    bundled: await import("./bundled/plan-set.mjs"),
  };
  const server = createServer(async (request, response) => {
    const { planSet } = ways[request.url.split("/")[1]];
    const { status, body } = await planSet(await json(request));
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => Promise.all([vite.close(), server.close()]),
  };
}
