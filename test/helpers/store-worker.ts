import { AsyncLocalStorage } from "node:async_hooks";
import { createRequire } from "node:module";
import { setTimeout } from "node:timers/promises";
import { ScreenshotSets } from "screenshot-sets";
import { runBatch } from "screenshot-sets/batch";
import { stepSet } from "screenshot-sets/durable";
import { postgresStore, type Query } from "screenshot-sets/postgres";
import { recordAge } from "../../src/durable/record-age.js";
import { storeRetries } from "../../src/durable/retry-until-stored.js";

// Steps sets at random until each has ended, with a driver of PostgreSQL and times that are short enough for a test. With
// pg, every fifth step is taken within a transaction that is carried along, as some libraries do, and may be rolled back.
// Or it runs one batch, which orders again what it finds uncertain. Its parent kills it, and starts another.

/** What the process tells its parent. */
export interface Message {
  /** A set that has ended, by its app, and how. */
  ended?: readonly [appId: string, status: string];
  /** A job that the service has just accepted. */
  accepted?: string;
  /** A job that is named in the log. */
  logged?: string;
}

const { DATABASE_URL = "", DRIVER = "", APP_IDS = "", IN_FLIGHT_MS = "3000", AGAIN } = process.env;

Object.assign(recordAge, { longestTimeoutMs: 0, graceMs: Number(IN_FLIGHT_MS) });
Object.assign(storeRetries, { firstPauseMs: 50, longestPauseMs: 400, allMs: 20_000 });

const transaction = new AsyncLocalStorage<Query>();
const { query, within } = DRIVER === "postgres.js" ? postgresJs() : pg();
const store = postgresStore((text, values) => (transaction.getStore() ?? query)(text, values));
const tell = (message: Message) => process.send?.(message);
const ignore = () => {};
const client = new ScreenshotSets({
  maxRetries: 0,
  fetch: send,
  logger: {
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: (_, fields) => tell({ logged: jobIn(fields) }),
  },
});
const open = new Set(APP_IDS.split(","));

const jobIn = (value: unknown): string => Object(value).jobId;

async function send(address: string | URL | Request, init?: RequestInit): Promise<Response> {
  const answer = await fetch(address, init);
  if (answer.status === 201) tell({ accepted: jobIn(await answer.clone().json()) });
  return answer;
}

const orderOf = (appId: string) => ({ appId, device: "iphone-69" }) as const;

async function step(appId: string): Promise<void> {
  const result = await stepSet(client, { key: appId, params: orderOf(appId), store }).catch(() => undefined);
  if (result === undefined || result.status === "waiting") return;
  open.delete(appId);
  tell({ ended: [appId, result.status] });
}

async function stepWithin(appId: string): Promise<void> {
  const work = async (own: Query) => {
    await transaction.run(own, () => step(appId));
    if (Math.random() < 0.5) throw new Error("rolled back");
  };
  await within?.(work).catch(() => {});
}

async function work(): Promise<void> {
  while (open.size > 0) {
    const all = [...open];
    const appId = all[Math.floor(Math.random() * all.length)] as string;
    await (Math.random() < 0.2 ? stepWithin(appId) : step(appId));
    await setTimeout(20 * Math.random());
  }
}

async function orderAgain(): Promise<void> {
  const sets = Object.fromEntries([...open].map((appId) => [appId, orderOf(appId)]));
  for await (const { key, status } of runBatch(client, { sets, store, again: open }))
    tell({ ended: [key, status] });
}

process.once("disconnect", () => process.exit());
// A batch ends with an error where its store fails before a create.
await (AGAIN ? orderAgain().catch(ignore) : Promise.all([work(), work(), work()]));
process.exit();

/** How a driver runs a statement, and some work within a transaction. */
interface Driver {
  query: Query;
  within?(work: (query: Query) => Promise<void>): Promise<unknown>;
}

function postgresJs(): Driver {
  const options = { max: 3, onnotice() {}, connect_timeout: 5, fetch_types: false };
  return { query: createRequire(import.meta.url)("postgres")(DATABASE_URL, options).unsafe };
}

function pg(): Driver {
  const { Pool } = createRequire(import.meta.url)("pg");
  const pool = new Pool({ connectionString: DATABASE_URL, max: 6 });
  pool.on("error", () => {});
  pool.on("connect", (connection: { on(event: string, listener: () => void): void }) =>
    connection.on("error", () => {}),
  );
  const within: Driver["within"] = async (work) => {
    const connection = await pool.connect();
    try {
      await connection.query("begin");
      await work((text, values) => connection.query(text, values));
      await connection.query("commit");
      connection.release();
    } catch {
      await connection.query("rollback").then(
        () => connection.release(),
        (error: Error) => connection.release(error),
      );
    }
  };
  return { query: (text, values) => pool.query(text, values), within };
}
