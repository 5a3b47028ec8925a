import { callers } from "./callers.js";

// Runs in a separate process for each contestant, so that none is slowed by what another leaves to the compiler and the
// garbage collector. Arguments: the contestant's name, and the base URL, or none for a stub that answers immediately
// with a real `Response`. The process ends with its parent.

/** The load of a process: the number of callers, each of which waits for its answer, and the number of all calls. */
export interface CallLoad {
  connections: number;
  calls: number;
}

const [name = "", baseUrl] = process.argv.slice(2);

const answer = JSON.stringify({ jobId: "job_1", credits: { cost: 10, remaining: 90 } });
const stub = async () =>
  new Response(answer, { status: 201, headers: { "content-type": "application/json" } });

const stubbed = { baseUrl: "https://service.test/api/v1", fetch: stub as typeof fetch };
const call = await callers[name]?.(baseUrl === undefined ? stubbed : { baseUrl });
if (call === undefined) throw new Error(`There is no contestant ${name}.`);

/** Returns the requests per second, and the CPU microseconds of this process per request. */
async function run({ connections, calls }: CallLoad): Promise<number[]> {
  let left = calls;
  const caller = async () => {
    while (left-- > 0) await call?.();
  };
  const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
  await Promise.all(Array.from({ length: connections }, caller));
  const { user, system } = process.cpuUsage(cpu);
  return [(calls / (performance.now() - startedAt)) * 1000, (user + system) / calls];
}

process.on("message", async (load: CallLoad) => process.send?.(await run(load)));
process.send?.("ready");
process.once("disconnect", () => process.exit());
