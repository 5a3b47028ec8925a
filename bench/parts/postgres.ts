import { randomUUID } from "node:crypto";
import type { Part } from "../part.js";
import type { Share } from "../programs/step-sets.js";
import { ask, start } from "../programs.js";

const url = process.env.DATABASE_URL ?? "postgres://postgres@127.0.0.1:5432/postgres";
const sets = 400;

export const postgres: Part = {
  title: "What steps in PostgreSQL take",
  async measure() {
    const rows: number[][] = [];
    for (const processes of [1, 2, 4]) {
      const mock = await start<{ url: string; apiKey: string }>("mock-server", "instant");
      const table = `bench_${randomUUID().replaceAll("-", "")}`;
      const steppers = await Promise.all(
        Array.from({ length: processes }, () =>
          start("step-sets", url, table, mock.message.url, mock.message.apiKey),
        ),
      );
      const startedAt = performance.now();
      const shares = await Promise.all(
        steppers.map((stepper, index) =>
          ask<Share>(stepper, { prefix: `${processes}-${index}`, count: sets / processes }),
        ),
      );
      const seconds = (performance.now() - startedAt) / 1_000;
      const sum = (name: keyof Share) => shares.reduce((total, share) => total + share[name], 0);
      rows.push([processes, sets / seconds, sum("statements") / sum("steps")]);
      for (const { child } of [...steppers, mock]) child.disconnect();
    }
    return {
      goals: [
        {
          name: "PostgreSQL: statements a step",
          measured: Math.max(...rows.map(([, , statements = Number.NaN]) => statements)),
          atMost: 3,
        },
      ],
      columns: ["processes", "sets a second", "statements a step"],
      rows,
      notes: `\`stepSet\` with \`postgresStore\` on \`pg\`, ten sets at once in each process, ${sets} sets in all, each with its create and one look, which is the most statements a step can take. The mock over HTTP, the database and all processes share the machine. The database is that at \`DATABASE_URL\`, or else at 127.0.0.1:5432; the table is a new one.`,
    };
  },
};
