import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { documented } from "./documented-sql.js";
import { type Engine, samples } from "./engine-program.js";
import { connect, type Engines, type Sql } from "./postgres.js";

/** A set as the users of an engine see it. */
export interface SetRow {
  id: string;
  appId: string;
  /** Why it cannot go on for now. */
  problem: string | null;
  /** How it ended: with this many slides, or with this error. */
  outcome: { slides: number } | { error: string; charged: string } | null;
}

/** A database for one test. */
export class EngineDatabase {
  readonly url: string;
  readonly #name = `screenshot_sets_${randomUUID().replaceAll("-", "")}`;
  readonly #server: Sql;
  readonly #sql: Sql;

  private constructor(
    private readonly engine: Engine,
    { databaseUrl, folder }: Engines,
  ) {
    this.url = Object.assign(new URL(databaseUrl), { pathname: this.#name }).href;
    this.#server = connect(folder, databaseUrl);
    this.#sql = connect(folder, this.url);
  }

  /** Creates it, with the table that the sample describes. */
  static async create(engine: Engine, installed: Engines): Promise<EngineDatabase> {
    const database = new EngineDatabase(engine, installed);
    await database.#server.unsafe(`create database ${database.#name}`);
    const [, table = ""] = /```sql\n(.*?)```/s.exec(readFileSync(`${samples}/orders.ts`, "utf8")) ?? [];
    await database.#sql.unsafe(table.replaceAll(/^ \*/gm, ""));
    return database;
  }

  async insert(id: string, params: object): Promise<void> {
    await this.#sql`insert into orders (id, params) values (${id}, ${this.#sql.json(params)})`;
  }

  /** Orders a set once more, as the docs say. */
  async orderAgain(id: string): Promise<void> {
    for (const statement of ["delete from screenshot_sets", "update orders"])
      await this.#sql.unsafe(documented(statement).replace("order-7", id));
  }

  /** The sets. */
  async rows(): Promise<SetRow[]> {
    if (this.engine.keepsRecord) return this.#jobs();
    return this.#sql<SetRow>`select id, params->>'appId' as "appId", problem, case
      when outcome ? 'slides' then jsonb_build_object('slides', jsonb_array_length(outcome->'slides'))
      when outcome ? 'error' then
        jsonb_build_object('error', outcome->'error'->'name', 'charged', outcome->'error'->'charged')
      end as outcome from orders`;
  }

  /** The jobs of BullMQ. */
  async #jobs(): Promise<SetRow[]> {
    const jobs = await this.#sql<{
      id: string;
      appId: string;
      state: string;
      reason: string;
      slides: number;
    }>`
      select id, data->'params'->>'appId' as "appId", state, failed_reason as reason,
        jsonb_array_length(return_value->'result'->'slides') as slides from bullmq.job`.catch((error) => {
      // BullMQ creates its tables at its first use.
      if (error.code === "42P01") return [];
      throw error;
    });
    return jobs.map(({ id, appId, state, reason, slides }) => {
      const [, error = reason, charged = ""] = /^(\w+): .*\(charged: (\w+)/.exec(reason ?? "") ?? [];
      const outcome = state === "completed" ? { slides } : state === "failed" ? { error, charged } : null;
      return { id, appId, problem: outcome ? null : reason, outcome };
    });
  }

  /** Cuts all connections of others, as a failover does. */
  async cut(): Promise<void> {
    await this.#server`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = ${this.#name} and application_name <> 'tests'`;
  }

  async drop(): Promise<void> {
    await this.#sql.end();
    await this.#server.unsafe(`drop database ${this.#name} with (force)`);
    await this.#server.end();
  }
}
