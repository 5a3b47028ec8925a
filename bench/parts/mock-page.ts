import { once } from "node:events";
import { type Browser, chromium, type Page } from "playwright-core";
import { findChromium } from "../../test/helpers/chromium.js";
import { type Figure, median, takeTurns } from "../compare.js";
import { ourMock } from "../contestants.js";
import type { Part } from "../part.js";
import {
  connections,
  requestsPerSecond,
  type Server,
  seconds,
  startLoader,
  startServer,
} from "../serving.js";

const turns = { warmUpRounds: 2, rounds: 15 };
const updates = 20;
const [jobs, rows] = [1_000, 10_000];

/** Longer than the page needs for a state and for what it reads after that. */
const settleMs = 1_000;
const settled = () => new Promise((resolve) => setTimeout(resolve, settleMs));

async function open(page: Page, pageUrl = ""): Promise<void> {
  await page.goto(pageUrl);
  await page.getByRole("status", { name: "Connection" }).filter({ hasText: "Live" }).waitFor();
}

/** The CPU time that a server has used, in microseconds. */
async function cpuOf(server: Server): Promise<number> {
  server.process.send("cpu");
  const [{ user, system }] = await once(server.process, "message");
  return user + system;
}

/** Requests per second and the server's CPU microseconds for each: page never opened, no page, and page open. */
async function floods(page: Page) {
  const loader = await startLoader();
  const servers = [
    await startServer("mock", "--page"),
    await startServer("mock"),
    await startServer("mock", "--page"),
  ];
  const [, , opened] = servers;
  const read = { path: "/public/v1/jobs/job_1", method: "GET" } as const;
  try {
    return await takeTurns(servers, turns, async (server) => {
      if (server === opened) await open(page, server.pageUrl);
      const before = await cpuOf(server);
      const [rate = Number.NaN] = await requestsPerSecond(loader, server, read);
      const cpu = (await cpuOf(server)) - before;
      if (server === opened) await page.goto("about:blank");
      return [rate, cpu / (rate * seconds)];
    });
  } finally {
    for (const server of servers) server.process.disconnect();
    loader.disconnect();
  }
}

/** A mock with a long history. Each change is a request, an accepted job, and a charge. */
async function busyMock() {
  const { createMock } = await ourMock();
  const mock = createMock({ allowance: 1_000_000_000, lifecycle: "instant" });
  const { apiKey, baseUrl, fetch } = mock.clientOptions;
  const ask = (path: string, body?: object) =>
    fetch(baseUrl + path, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${apiKey}` },
      ...(body && { body: JSON.stringify(body) }),
    });
  const change = () => ask("/public/v1/screenshots", { appId: "app_1", device: "iphone-69", count: 5 });
  await ask("/public/v1/apps", { iosUrl: "https://apps.apple.com/us/app/example/id1234567890" });
  for (let count = 0; count < jobs; count++) await change();
  for (let count = jobs + 1; count < rows; count++) await ask("/public/v1/jobs/job_1");
  return { change, listener: await mock.listen({ page: true }) };
}

/** The median script time of an update in the page, in milliseconds. Nothing else changes meanwhile. */
async function scriptMs(page: Page, change: () => Promise<unknown>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const spent = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return 1_000 * (metrics.find(({ name }) => name === "ScriptDuration")?.value ?? Number.NaN);
  };
  const each: number[] = [];
  for (let update = 0; update < updates; update++) {
    const before = await spent();
    await change();
    await settled();
    each.push((await spent()) - before);
  }
  await session.detach();
  return median(each);
}

/** The size of everything that the page loads, in kilobytes as sent. */
async function weight(pageUrl: string): Promise<number> {
  const files = ["", "_mock/page.js", "_mock/style.css", "_mock/icon.svg"];
  const answers = await Promise.all(
    files.map((file) => fetch(pageUrl + file, { headers: { "accept-encoding": "gzip" } })),
  );
  return answers.reduce((bytes, { headers }) => bytes + Number(headers.get("content-length")), 0) / 1_000;
}

async function measureAll(browser: Browser) {
  const page = await browser.newPage();
  const rates = await floods(page);
  const { change, listener } = await busyMock();
  const pageUrl = listener.pageUrl ?? "";
  await open(page, pageUrl);
  await settled();
  const script = await scriptMs(page, change);
  const older = page.getByRole("button", { name: "Older jobs" });
  const pressOlder = () => older.evaluateAll((buttons) => buttons.map((one) => (one as HTMLElement).click()));
  while ((await pressOlder()).length > 0) await settled();
  const scriptOfAll = await scriptMs(page, change);
  const kilobytes = await weight(pageUrl);
  await listener.close();
  return { rates, script, scriptOfAll, kilobytes };
}

/** Requests per second, and CPU microseconds of the mock per request. */
type Served = [rate: Figure, cpu: Figure];

export const part: Part = {
  name: "mock-page",
  title: "The mock's page",
  async run() {
    const found = findChromium();
    if (!found) {
      console.log("Left out mock-page: there is no CHROMIUM, and none in the usual places.");
      return undefined;
    }
    const browser = await chromium.launch(found);
    const { rates, script, scriptOfAll, kilobytes } = await measureAll(browser).finally(() =>
      browser.close(),
    );
    const [unopened, off, opened] = rates as [Served, Served, Served];
    const row = (name: string, [rate, cpu]: Served) => [
      ...[name, rate.median, rate.ratio],
      ...[cpu.median, cpu.ratio],
    ];
    return {
      columns: [
        "",
        "reads of a job, a second",
        "÷ never opened",
        "CPU µs of the mock for each",
        "÷ never opened",
      ],
      rows: [
        row("the page is never opened", unopened),
        row("there is no page", off),
        row("the page is open", opened),
      ],
      goals: [
        {
          name: "CPU of the mock, no page ÷ never opened",
          measured: off[1].ratio,
          atLeast: 0.98,
        },
        {
          name: "CPU of the mock, never opened ÷ open",
          measured: 1 / opened[1].ratio,
          atLeast: 0.9,
        },
        { name: "script for an update, ms", measured: script, atMost: 50 },
        { name: "script for an update while all jobs are shown, ms", measured: scriptOfAll, atMost: 50 },
        { name: "the page with all that it loads, gzipped, kB", measured: kilobytes, atMost: 25 },
      ],
      notes: [
        `Reads: ${connections} connections, as under \`mock-server\`, in ${turns.rounds} rounds of ${seconds} s, in which the three take turns; the open page is in a Chromium that draws on the same cores meanwhile, so the goals are of the mock's own CPU time.`,
        `Script: the median of ${updates} updates, each an accepted job, with ${rows.toLocaleString("en")} rows in the journal and ${jobs.toLocaleString("en")} jobs, of which the page shows 100 until it is asked for older ones. 1 kB is 1,000 bytes.`,
      ],
    };
  },
};
