import type { ChildProcess } from "node:child_process";
import { type Figure, takeTurns } from "../compare.js";
import type { Part } from "../part.js";
import {
  connections,
  type Request,
  requestsPerSecond,
  seconds,
  startLoader,
  startServer,
} from "../serving.js";

const warmUpRounds = 4;

/** The servers besides the bare one, each a file in `servers/`, and the number of rounds for each. */
const contestants = [
  { file: "mock", name: "mock.listen", rounds: 15 },
  { file: "json-server", name: "json-server", rounds: 5 },
  { file: "prism", name: "Prism", rounds: 5 },
];

/** The requests: one read of a job, and one acceptance. */
const requests: (Request & { name: string })[] = [
  { name: "reads of a job", path: "/public/v1/jobs/job_1", method: "GET" },
  {
    name: "sets accepted",
    path: "/public/v1/screenshots",
    method: "POST",
    body: JSON.stringify({ appId: "app_1", device: "iphone-69", count: 5 }),
  },
];

interface Comparison {
  bare: Figure;
  own: Figure;
}

/** Compares a server with the bare one for each request. Only these two run: the clean-up of others would slow them. */
async function compareWithBare(loader: ChildProcess, file: string, rounds: number): Promise<Comparison[]> {
  const servers = [await startServer("bare"), await startServer(file)];
  const comparisons: Comparison[] = [];
  try {
    for (const request of requests) {
      const [[bare] = [], [own] = []] = await takeTurns(servers, { warmUpRounds, rounds }, (server) =>
        requestsPerSecond(loader, server, request),
      );
      comparisons.push({ bare: bare as Figure, own: own as Figure });
    }
  } finally {
    for (const server of servers) server.process.disconnect();
  }
  return comparisons;
}

export const part: Part = {
  name: "mock-server",
  title: "Requests a second of the mock over HTTP",
  async run() {
    const loader = await startLoader();
    try {
      const compared: { name: string; comparisons: Comparison[] }[] = [];
      for (const { file, name, rounds } of contestants) {
        compared.push({ name, comparisons: await compareWithBare(loader, file, rounds) });
      }
      const [mock] = compared;
      return {
        columns: ["", ...requests.flatMap(({ name }) => [`${name}, a second`, "÷ bare"])],
        rows: [
          ["bare node:http", ...(mock?.comparisons.flatMap(({ bare }) => [bare.median, 1]) ?? [])],
          ...compared.map(({ name, comparisons }) => [
            name,
            ...comparisons.flatMap(({ own }) => [own.median, own.ratio]),
          ]),
        ],
        limits: ["bare node:http"],
        goals: requests.map(({ name }, index) => ({
          name: `${name}, ÷ bare node:http`,
          measured: mock?.comparisons[index]?.own.ratio ?? Number.NaN,
          atLeast: 0.75,
        })),
        notes: [
          `${connections} connections, each of which asks again as soon as it is answered, from a process of its own; so is every server.`,
          "The bare server answers the same JSON, which it knows beforehand, and parses what is posted. Prism answers an example out of the same document, by its command and without its log; json-server keeps what is posted; neither knows keys, credits or states.",
          `Rounds of ${seconds} s, which a server and the bare one take in turns: medians of ${contestants.map(({ name, rounds }) => `${rounds} for ${name}`).join(", ")}, after ${warmUpRounds} to warm up. The ratio is the median of each round's ratio.`,
          "A CPU profile (`node --cpu-prof`) of sets accepted under this load says why these stay below 0.75: the write to the socket takes 37 % of the mock, the rest of Node 29 %, garbage collection 5 %, and what the mock does beyond the bare server, which is to read and check the body, to keep the job, the ledger and the journal and to write the answer, 29 %, of which no function takes more than 5 %. The same share of the bare server is 6 %.",
        ],
      };
    } finally {
      loader.disconnect();
    }
  },
};
