import { createRequire } from "node:module";
import { ScreenshotSets } from "screenshot-sets";
import { stepSet } from "screenshot-sets/durable";
import { postgresStore, type Query } from "screenshot-sets/postgres";

// Takes a step of a set with a driver of PostgreSQL, as the docs have it, and tells its parent how the set is.

const { DATABASE_URL = "", DRIVER = "", QUERY = "", LISTENERS = "", APP_ID = "" } = process.env;
const load = createRequire(import.meta.url);

const known = { console, ...(DRIVER === "postgres.js" ? postgresJs() : pools()) };
const run = (code: string) => new Function(...Object.keys(known), code)(...Object.values(known));
if (DRIVER !== "postgres.js") run(LISTENERS);
const store = postgresStore(run(`return ${QUERY}`) as Query);

const params = { appId: APP_ID, device: "iphone-69" } as const;
const { status, jobId } = await stepSet(new ScreenshotSets(), { key: DRIVER, params, store });
process.send?.([status, jobId]);
process.disconnect?.();
process.exit();

function pools() {
  const pool = new (load("pg").Pool)({ connectionString: DATABASE_URL, max: 3 });
  const { CompiledQuery, Kysely, PostgresDialect } = load("kysely");
  return { pool, CompiledQuery, db: new Kysely({ dialect: new PostgresDialect({ pool }) }) };
}

function postgresJs() {
  return { sql: load("postgres")(DATABASE_URL, { max: 3, onnotice() {}, fetch_types: false }) };
}
