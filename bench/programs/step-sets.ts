/**
 * Steps sets in PostgreSQL until they end, and sends its parent what that took. Arguments: the database, a table that it
 * drops at the end, and the address and the key of the service. It begins when it is asked to.
 */
import { built, ours, peer } from "../contestants.js";

/** What the steps of one process took. */
export interface Share {
  steps: number;
  statements: number;
}

interface Pool {
  on(event: "error" | "connect", listener: (client: Pool) => void): void;
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  end(): Promise<void>;
}

const [connectionString = "", table = "", baseUrl = "", apiKey = ""] = process.argv.slice(2);
const { ScreenshotSets } = await ours();
const { stepSet } = await built<typeof import("screenshot-sets/durable")>("durable/index.js");
const { postgresStore } = await built<typeof import("screenshot-sets/postgres")>("durable/postgres.js");
const { default: pg } = await peer<{ default: { Pool: new (options: object) => Pool } }>("pg");

const pool = new pg.Pool({ connectionString });
pool.on("error", () => {});
pool.on("connect", (client) => client.on("error", () => {}));
const taken: Share = { steps: 0, statements: 0 };
const query = (text: string, values: unknown[]) => {
  taken.statements++;
  return pool.query(text, values);
};
const store = postgresStore(query, { table });
const client = new ScreenshotSets({ baseUrl, apiKey });
const params = { appId: "app_1", device: "iphone-69" } as const;

async function plan(key: string): Promise<void> {
  const once = { minDelayMs: 1, maxDelayMs: 1 };
  for (let status = "waiting"; status === "waiting"; taken.steps++)
    ({ status } = await stepSet(client, { key, params, store }, once));
}

// The first use makes the table.
await plan(`first-${process.pid}`);
Object.assign(taken, { steps: 0, statements: 0 });
process.on("message", async ({ prefix, count }: { prefix: string; count: number }) => {
  const keys = Array.from({ length: count }, (_, index) => `${prefix}-${index}`).values();
  const planAll = async () => {
    for (const key of keys) await plan(key);
  };
  await Promise.all(Array.from({ length: 10 }, planAll));
  process.send?.(taken);
});
process.once("disconnect", async () => {
  await pool.query(`drop table if exists ${table}`);
  await pool.end();
});
process.send?.("ready");
