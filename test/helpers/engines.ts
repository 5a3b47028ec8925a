import { inject, test } from "vitest";
import type { Engine } from "./engine-program.js";

const pgBoss: Engine["changes"] = [
  ["expireInSeconds: 600", "expireInSeconds: 3"],
  ["retryDelay: 10", "retryDelay: 1"],
  [
    'new PgBoss(process.env.DATABASE_URL ?? "")',
    `new PgBoss({
      connectionString: process.env.DATABASE_URL,
      maintenanceIntervalSeconds: 1, superviseIntervalSeconds: 1, monitorIntervalSeconds: 1,
    })`,
  ],
];
const pgBoss10: Engine["changes"] = [
  ...pgBoss,
  ['import { PgBoss } from "pg-boss";', 'import PgBoss from "pg-boss-10";'],
];
const graphileWorker: Engine["changes"] = [
  ["300_000", "1_000"],
  ["concurrency: 10", "concurrency: 10, pollInterval: 100"],
];
const bullmq: Engine["changes"] = [
  ["delay: 600_000", "delay: 1_000"],
  ["const emptyMs = 60_000", "const emptyMs = 1_000"],
  ["concurrency: 10", "concurrency: 10, lockDuration: 2_000, stalledInterval: 1_000"],
];

/** The engines on PostgreSQL. */
export const engines: [name: string, engine: Engine][] = [
  ["pg-boss 12", { sample: "pg-boss", takesOrders: true, needsNewNode: true, changes: pgBoss }],
  ["pg-boss 10", { sample: "pg-boss", takesOrders: true, changes: pgBoss10 }],
  ["cron", { sample: "cron", takesOrders: false, changes: [["'10 minutes'", "'3 seconds'"]] }],
  [
    "DBOS",
    {
      sample: "dbos",
      takesOrders: true,
      changes: [["intervalSeconds: 10", "intervalSeconds: 1"]],
    },
  ],
  ["AWS Lambda", { sample: "lambda", takesOrders: true, changes: [] }],
  ["graphile-worker", { sample: "graphile-worker", takesOrders: true, changes: graphileWorker }],
  [
    "BullMQ on PostgreSQL",
    { sample: "bullmq-postgres", takesOrders: true, keepsRecord: true, changes: bullmq },
  ],
];

/** A test that needs PostgreSQL and the engines. */
export const engineTest = test.skipIf(inject("engines") === undefined);
