import { createRequire } from "node:module";
import { setTimeout } from "node:timers/promises";
import { ScreenshotSets } from "screenshot-sets";
import { stepSet } from "screenshot-sets/durable";
import { postgresStore, type Query } from "screenshot-sets/postgres";
import { insistence } from "../../src/durable/insist.js";
import { recordAge } from "../../src/durable/record-age.js";

// Steps sets at random until each has ended, with a driver of PostgreSQL and times that are short enough for a test. Its
// parent kills it, and starts another.

Object.assign(recordAge, { longestTimeoutMs: 0, graceMs: 3_000 });
Object.assign(insistence, { firstPauseMs: 50, longestPauseMs: 400, allMs: 20_000 });

const { DATABASE_URL = "", DRIVER = "", APP_IDS = "" } = process.env;

const store = postgresStore(queryOf(DRIVER));
const client = new ScreenshotSets({ maxRetries: 0 });
const open = new Set(APP_IDS.split(","));

async function step(appId: string): Promise<void> {
  const result = await stepSet(client, { key: appId, params: { appId, device: "iphone-69" }, store }).catch(
    () => undefined,
  );
  if (result === undefined || result.status === "waiting") return;
  open.delete(appId);
  process.send?.([appId, result.status]);
}

async function work(): Promise<void> {
  while (open.size > 0) {
    const all = [...open];
    await step(all[Math.floor(Math.random() * all.length)] as string);
    await setTimeout(20 * Math.random());
  }
}

process.once("disconnect", () => process.exit());
await Promise.all([work(), work(), work()]);
process.exit();

function queryOf(driver: string): Query {
  const load = createRequire(import.meta.url);
  if (driver === "postgres.js") {
    return load("postgres")(DATABASE_URL, { max: 3, onnotice() {}, connect_timeout: 5, fetch_types: false })
      .unsafe;
  }
  const pool = new (load("pg").Pool)({ connectionString: DATABASE_URL, max: 3 });
  pool.on("error", () => {});
  return (text, values) => pool.query(text, values);
}
