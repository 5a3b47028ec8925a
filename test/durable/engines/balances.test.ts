import { ScreenshotSets, setCost } from "screenshot-sets";
import { stepSet } from "screenshot-sets/durable";
import { createMock } from "screenshot-sets/mock";
import { postgresStore } from "screenshot-sets/postgres";
import { expect, inject, onTestFinished, test, vi } from "vitest";
import { balanceNotes } from "../../../src/cli/balances.js";
import { documented } from "../../helpers/documented-sql.js";
import { drawnAccount } from "../../helpers/drawn-account.js";
import { draws } from "../../helpers/draws.js";
import { connect, type Engines, type Sql } from "../../helpers/postgres.js";

const engines = inject("engines");
const queryTest = test.skipIf(engines === undefined);

/** A connection with a table of sets of its own, as the docs have it. */
async function database(): Promise<Sql> {
  const { folder, databaseUrl } = engines as Engines;
  const sql = connect(folder, databaseUrl, 1);
  onTestFinished(() => sql.end());
  await sql.unsafe(documented("create table screenshot_sets").replace("table", "temporary table"));
  return sql;
}

async function asked(sql: Sql): Promise<string[]> {
  const rows = (await sql.unsafe(documented("with recursive"))) as { what: string }[];
  return rows.map(({ what }) => what);
}

queryTest(
  "the documented query tells when uncertain sets began, and where the account fell by more",
  async () => {
    const mock = createMock({ allowance: 1_000 });
    const client = new ScreenshotSets(mock.clientOptions);
    const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
    const sql = await database();
    const store = postgresStore(sql.unsafe as never);
    const params = { appId, device: "iphone-69" } as const;
    const order = async (key: string) => {
      await mock.clock.advance(60_000);
      return stepSet(client, { key, params, store });
    };
    await order("order-1");
    mock.fault("reset", { operation: "createScreenshots", when: "after" });
    await order("order-2");
    await order("order-3");
    expect(await asked(sql)).toEqual([
      "order-2 began",
      `the account fell by ${2 * setCost} between job_1 (${1_000 - setCost} left) and job_3 (${1_000 - 3 * setCost} left), of which job_3 cost ${setCost}`,
    ]);
    expect(mock.credits.used).toBe(3 * setCost);

    await sql.unsafe(documented("delete from screenshot_sets").replace("order-7", "order-2"));
    expect(await order("order-2")).toMatchObject({ status: "waiting", jobId: "job_4" });
  },
);

queryTest(
  "a record that a dead process left is deleted as documented, once no create is in flight",
  async () => {
    const mock = createMock();
    const client = new ScreenshotSets(mock.clientOptions);
    const { appId } = await client.apps.create({ iosUrl: "https://apps.apple.com/us/app/example/id1" });
    const sql = await database();
    const params = { appId, device: "iphone-69" } as const;
    const set = { key: "order-7", params, store: postgresStore(sql.unsafe as never) };
    const never = () => new Promise<never>(() => {});
    const clock = { now: () => mock.clock.now(), sleep: never };
    const fetch = vi.fn(never);
    void stepSet(new ScreenshotSets({ ...mock.clientOptions, fetch, clock }), set);
    await expect.poll(() => fetch).toHaveBeenCalled();
    expect(await asked(sql)).toEqual(["order-7 began"]);
    await mock.clock.advance(12 * 60_000);
    const orderedAgain = async () => {
      await sql.unsafe(documented("delete from screenshot_sets"));
      return stepSet(client, set);
    };

    expect(await orderedAgain()).toMatchObject({ status: "uncertain" });
    await sql`update screenshot_sets set changed_at = now() - interval '12 minutes'`;
    expect(await orderedAgain()).toMatchObject({ status: "waiting", jobId: "job_1" });
    expect(await sql.unsafe(documented("delete from screenshot_sets"))).toHaveLength(0);
    expect(await stepSet(client, set)).toMatchObject({ jobId: "job_1" });
  },
);

queryTest(
  "the documented query tells the same differences of drawn accounts as the command line",
  async () => {
    const sql = await database();
    for (let draw = 0; draw < draws(600); draw++) {
      const { entries } = drawnAccount();
      const rows = [...entries].map(([key, record]) => ({ key, record }));
      await sql.unsafe("truncate screenshot_sets");
      await sql`insert into screenshot_sets (key, record) select key, record
      from jsonb_to_recordset(${sql.json(rows)}::jsonb) as given (key text, record jsonb)`;
      const notes = await balanceNotes(entries);
      const fell = (texts: string[]) =>
        texts.flatMap((text) => /account fell by \d.* cost \d+/.exec(text) ?? []).sort();
      const told = await asked(sql);
      expect(fell(told)).toEqual(fell(notes));
      const cut = (texts: string[]) => texts.flatMap((text) => /came before (job_\d+)/.exec(text)?.[1] ?? []);
      expect(cut(told)).toEqual(cut(notes));
    }
  },
);
