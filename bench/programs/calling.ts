// The process of a client that calls a server, one call after the other. Arguments: the client's file and the base URL.

const [file, baseUrl] = process.argv.slice(2);
const { caller } = await import(new URL(`../clients/${file}.js`, import.meta.url).href);
const call: () => Promise<unknown> = caller(baseUrl);

/** The CPU microseconds of this process for a call. */
async function cpuOf(calls: number): Promise<number> {
  const before = process.cpuUsage();
  for (let count = 0; count < calls; count++) await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

process.on("message", async ({ calls }: { calls: number }) => process.send?.(await cpuOf(calls)));
process.once("disconnect", () => process.exit());
process.send?.("ready");
