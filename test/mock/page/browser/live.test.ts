import type { Page, Route } from "playwright-core";
import { expect } from "vitest";
import { asking } from "../../ask.js";
import { servedPage } from "../served-page.js";
import {
  card,
  connection,
  copied,
  field,
  focused,
  openContext,
  openPage,
  patient,
  press,
  reads,
  test,
  unfold,
} from "./open-page.js";

/** The best of some, as a busy machine may be late for reasons of its own. */
async function fastest(run: () => Promise<unknown>, goodMs: number, attempts: number): Promise<number> {
  let bestMs = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && bestMs > goodMs; attempt++) {
    const startedAt = Date.now();
    await run();
    bestMs = Math.min(bestMs, Date.now() - startedAt);
  }
  return bestMs;
}

test("shows a change within half a second", async () => {
  const { page, mock } = await openPage();
  const spend = async () => {
    mock.credits.set(mock.credits.remaining - 1);
    await page.getByTestId("credits-left").getByText(`${mock.credits.remaining}`, { exact: true }).waitFor();
  };

  expect(await fastest(spend, 500, 20)).toBeLessThanOrEqual(500);
});

test("filters requests and turns pages", async () => {
  const { page, mock, createJob, look, call } = await openPage();
  await createJob();
  for (const id of ["a", "b", "c"]) await look(id);
  await call("/nowhere");
  await reads(page, "request-count", "6 of 6 requests");
  const rows = page.getByRole("table", { name: "Requests" }).getByTestId("request");
  expect(await rows.count()).toBe(6);

  mock.account();
  await field(page, "Account").selectOption("2");
  await reads(page, "request-count", "0 of 6 requests");
  await field(page, "Account").selectOption("");
  await field(page, "Operation").selectOption("none");
  await reads(page, "request-count", "1 of 6 requests");
  await field(page, "Operation").selectOption("");
  // What is not finished would be refused, and the refusal stand on the console.
  await field(page, "Status").pressSequentially("4xx");
  await reads(page, "request-count", "4 of 6 requests");
  await field(page, "Search requests").fill("jobs/B");
  await reads(page, "request-count", "1 of 6 requests");
  await field(page, "Search requests").fill("");
  await field(page, "Status").fill("");

  const other = () => mock.handle(new Request(`${mock.clientOptions.baseUrl}/x`));
  await Promise.all(Array.from({ length: 150 }, other));
  await reads(page, "request-count", "156 of 156 requests");
  expect(await rows.count()).toBe(100);
  await press(page, "Older requests");
  await expect.poll(() => rows.count(), patient).toBe(56);
  await press(page, "Newer requests");
  await expect.poll(() => rows.count(), patient).toBe(100);
});

test("shows what was sent and answered, how long it took, and the same as curl, without the key", async () => {
  const { page, mock, url, createApp, look } = await openPage();
  await createApp();
  mock.fault({ latencyMs: 700 });
  const late = look("it's");
  await mock.clock.advance(700);
  await late;
  const details = (id: number) => page.getByRole("button", { name: `Details of request ${id}`, exact: true });

  await details(1).click();
  await page.getByTestId("body").getByText('"iosUrl": "https').waitFor();
  expect(await details(1).getAttribute("aria-expanded")).toBe("true");
  const answer = await page.getByTestId("answer").textContent();
  expect(answer).toMatch(/^200 after 0 ms\ncontent-type: application\/json\n\n\{\n {2}"appId": "app_1"/);
  await press(page, "Copy as curl");
  expect(await copied(page)).toBe(
    `curl -X POST '${url}/public/v1/apps' -H "x-api-key: $SCREENSHOT_SETS_API_KEY" ` +
      `-H 'content-type: application/json' --data-raw '{"iosUrl":"https://apps.apple.com/us/app/example/id1234567890"}'`,
  );
  await details(1).click();
  await details(2).click();
  await page.getByTestId("answer").getByText("404 after 700 ms").waitFor();
  expect(await page.getByTestId("body").count()).toBe(0);
  await press(page, "Copy as curl");
  expect(await copied(page)).toBe(
    `curl -X GET '${url}/public/v1/jobs/it'\\''s' -H "x-api-key: $SCREENSHOT_SETS_API_KEY"`,
  );
});

test("opens with 2,000 jobs of ten slides within 2 s, in at most 3,000 elements", async () => {
  const { mock, pageUrl } = await servedPage({ allowance: 20_000, lifecycle: "instant" });
  const { createApp, createSet } = asking(mock);
  const appId = await createApp();
  for (let set = 0; set < 2_000; set++) await createSet(appId, { count: 10 });
  const { context } = await openContext();
  const page = await context.newPage();

  const open = async () => {
    await page.goto(pageUrl);
    await page.getByRole("article").nth(99).waitFor();
    await page.getByTestId("request").nth(99).waitFor();
  };

  expect(await fastest(open, 2_000, 3)).toBeLessThanOrEqual(2_000);
  expect(await page.locator("*").count()).toBeLessThan(3_000);
});

test("asks nothing while nothing changes, and for no requests while it is paused but after a reset", async () => {
  const { page, mock, look } = await openPage({ clock: "system" });
  await look("a");
  // What it shows from the start is final.
  await page.reload();
  await reads(page, "request-count", "1 of 1 requests");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const before = await page.getByTestId("now").textContent();

  // The clock of the system goes on, which the page sees for itself.
  await expect.poll(() => page.getByTestId("now").textContent(), patient).not.toBe(before);
  await press(page, "Pause");
  const pause = page.getByRole("button", { name: "Pause" });
  await expect.poll(() => pause.getAttribute("aria-pressed"), patient).toBe("true");
  await look("b");
  // With the second of these, it has done all that it does after the first.
  for (const credits of [7, 8]) {
    mock.credits.set(credits);
    await reads(page, "credits-left", String(credits));
  }

  expect(asked).toEqual([]);
  expect(await page.getByTestId("request-count").textContent()).toBe("1 of 1 requests");
  await press(page, "Pause");
  await reads(page, "request-count", "2 of 2 requests");
  await press(page, "Pause");
  mock.reset();
  await reads(page, "request-count", "0 of 0 requests");
  expect(await page.getByTestId("request").count()).toBe(0);
});

test("shows older jobs as long as there are any", async () => {
  const { page, mock, createApp, createSet } = await openPage({ allowance: 9_999, lifecycle: "manual" });
  const appId = await createApp();
  await Promise.all(Array.from({ length: 130 }, () => createSet(appId)));
  await reads(page, "job-count", "100 of 130 jobs");

  await press(page, "Older jobs");

  await card(page, "job_1").waitFor();
  await reads(page, "job-count", "130 jobs");
  expect(await page.getByRole("button", { name: "Older jobs" }).count()).toBe(0);
  await press(page, "Succeed job_1");
  await unfold(page, "job_1");
  expect(mock.jobs.get("job_1").status).toBe("succeeded");
  const older = card(page, "job_2").getByTestId("status");
  mock.jobs.advance("job_2");
  await expect.poll(() => older.textContent(), patient).toBe("running");
  mock.jobs.fail("job_2");
  await expect.poll(() => older.textContent(), patient).toBe("failed");
});

test("takes neither the focus nor what is typed, whatever happens", async () => {
  const { page, createJob } = await openPage();
  const [body, credits] = [field(page, "Body of the answer"), field(page, "Credits left of account 1")];
  await body.pressSequentially("half a wo");
  await credits.fill("77");
  await field(page, "Search requests").focus();

  await createJob();
  await page.getByRole("article").waitFor();
  await reads(page, "credits-left", "90");

  expect([await body.inputValue(), await credits.inputValue()]).toEqual(["half a wo", "77"]);
  expect(await focused(page)).toBe("Search requests");
  const held: Route[] = [];
  await page.route("**/_mock/accounts/1", (route) => void held.push(route), { times: 1 });
  const answered = page.waitForResponse("**/_mock/accounts/1");
  await press(page, "Set credits of account 1");
  await expect.poll(() => held.length, patient).toBe(1);
  await credits.fill("78");
  await held[0]?.continue();
  await (await answered).finished();
  await reads(page, "credits-left", "77");
  expect(await credits.inputValue()).toBe("78");
});

test("shares one stream among seven tabs, one more than a browser opens connections, and passes it on when its tab is closed", async () => {
  const { mock, pageUrl } = await servedPage();
  const { context } = await openContext();
  const streams: Page[] = [];
  context.on("request", (request) => {
    if (request.url().endsWith("/events")) streams.push(request.frame().page());
  });
  const open = async () => {
    const tab = await context.newPage();
    await tab.goto(pageUrl);
    await connection(tab, "Live");
    return tab;
  };
  const tabs = await Promise.all(Array.from({ length: 7 }, open));
  expect(streams).toHaveLength(1);

  mock.credits.set(5);
  await Promise.all(tabs.map((tab) => reads(tab, "credits-left", "5")));
  await streams[0]?.close();
  const rest = tabs.filter((tab) => tab !== streams[0]);
  await expect.poll(() => streams.length, patient).toBe(2);
  mock.credits.set(6);
  await Promise.all(rest.map((tab) => reads(tab, "credits-left", "6")));
});

test("shows whatever clients and plans hold as text, cut where it is long", async () => {
  const { page, mock, call, createApp, createSet } = await openPage({ lifecycle: "instant" });
  const evil = `<img src=x onerror="alert(1)"><script>alert(2)</script>javascript:alert(3)\u202e{{7*7}}`;
  const address = "https://evil.example/a.png";
  const huge = "x".repeat(1_000_000);
  const slides = Array.from({ length: 5_000 }, () => ({ caption: huge.slice(0, 200) }));
  mock.nextJob({ outcome: "succeeded", slides: [{ caption: evil, [evil]: evil, image: address }, [evil]] });
  mock.nextJob({ outcome: "failed", error: { [evil]: evil, href: address } });
  mock.nextJob({ outcome: "succeeded", slides });
  const appId = await createApp();
  for (let set = 0; set < 3; set++) await createSet(appId);
  await call(`/${encodeURIComponent(evil)}`, { [evil]: evil });
  await call("/x", huge);
  mock.fault({ status: 500, body: evil, headers: { "x-a": "b" } }, { skip: 99 });

  for (const id of ["job_1", "job_3"]) await unfold(page, id);
  await page.getByRole("list", { name: "Slides of job_1" }).getByText(evil).first().waitFor();
  await page.getByTestId("error").getByText("onerror").waitFor();
  await page.getByTestId("fault").getByText("onerror").waitFor();
  for (const id of [5, 6]) await press(page, `Details of request ${id}`);
  await page.getByTestId("body").getByText("onerror").waitFor();
  await page.getByTestId("body").getByText("(1000000 characters)").waitFor();

  expect(await page.locator("img, script:not([src]), iframe, a[href*=evil]").count()).toBe(0);
  expect(await page.getByRole("list", { name: "Slides of job_3" }).getByTestId("slide").count()).toBeLessThan(
    100,
  );
  expect((await page.content()).length).toBeLessThan(200_000);
});
