import { type Figure, takeTurns } from "../compare.js";
import type { Part } from "../part.js";
import type { Load } from "../programs/load.js";
import { ask, start } from "../programs.js";

type Server = Pick<Load, "url" | "apiKey">;

const rounds = { warmUpRounds: 4, rounds: 15 };
const [connections, seconds] = [16, 0.5];
const body = JSON.stringify({ appId: "app_1", device: "iphone-69", count: 5 });
const requests = [
  { name: "reads of a job", method: "GET", path: "/public/v1/jobs/job_1" },
  { name: "sets accepted", method: "POST", path: "/public/v1/screenshots", body },
] as const;

export const mock: Part = {
  title: "The mock over HTTP",
  async measure() {
    const loader = await start("load");
    const servers = [await start<Server>("bare-server"), await start<Server>("mock-server")];
    const figures: [bare: Figure, mock: Figure][] = [];
    for (const { path, name: _, ...request } of requests) {
      const measured = await takeTurns(servers, rounds, ({ message: { url, apiKey } }) =>
        ask(loader, { url: url + path, apiKey, ...request, connections, seconds } satisfies Load),
      );
      figures.push(measured as [Figure, Figure]);
    }
    for (const { child } of [loader, ...servers]) child.disconnect();
    return {
      goals: requests.map(({ name }, index) => ({
        name: `${name}: mock ÷ \`node:http\``,
        measured: figures[index]?.[1].ratio ?? Number.NaN,
        atLeast: 0.4,
      })),
      columns: ["", ...requests.flatMap(({ name }) => [`${name}, a second`, "÷ node:http"])],
      rows: ["node:http", "mock.listen"].map((name, server) => [
        name,
        ...figures.flatMap((measured) => {
          const { median, ratio } = measured[server] as Figure;
          return [median, ratio];
        }),
      ]),
      notes: `${connections} connections, each of which asks again as soon as it is answered, from a process of its own; so is each server. The bare server answers the same JSON, which it knows beforehand, and parses what is posted. Medians of ${rounds.rounds} rounds of ${seconds} s, which the two take in turns; the ratio is the median of the rounds' ratios.`,
    };
  },
};
