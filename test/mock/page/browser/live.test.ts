import type { Page, Route } from "playwright-core";
import { expect } from "vitest";
import { servedPage } from "../served-page.js";
import { handOn, openContext, openPage, test } from "./open-page.js";

test("filters requests and turns pages", async () => {
  const { page, field, press, reads, mock, createJob, look, call } = await openPage();
  await createJob();
  for (const id of ["a", "b", "c"]) await look(id);
  await call("/nowhere");
  mock.account();
  await reads("request-count", "6 of 6 requests");
  const rows = page.getByRole("table", { name: "Requests" }).getByTestId("request");
  expect(await rows.count()).toBe(6);

  await field("Account").selectOption("2");
  await reads("request-count", "0 of 6 requests");
  await field("Account").selectOption("");
  await field("Operation").selectOption("none");
  await reads("request-count", "1 of 6 requests");
  await field("Operation").selectOption("");
  // What is not finished would be refused, and the refusal stand on the console.
  await field("Status").pressSequentially("4xx");
  await reads("request-count", "4 of 6 requests");
  await field("Search requests").fill("jobs/B");
  await reads("request-count", "1 of 6 requests");
  await field("Search requests").fill("");
  await field("Status").fill("");

  await Promise.all(Array.from({ length: 150 }, () => mock.fetch(`${mock.clientOptions.baseUrl}/x`)));
  await reads("request-count", "156 of 156 requests");
  expect(await rows.count()).toBe(100);
  await press("Older requests");
  await expect.poll(() => rows.count()).toBe(56);
  await press("Newer requests");
  await expect.poll(() => rows.count()).toBe(100);
});

test("turns to no page without requests, also where the last one is full", async () => {
  const { page, button, press, reads, mock } = await openPage();
  const older = () => button("Older requests").getAttribute("aria-disabled");
  const rows = page.getByTestId("request");
  const { baseUrl } = mock.clientOptions;
  for (const count of [100, 200]) {
    await Promise.all(Array.from({ length: 100 }, () => mock.fetch(`${baseUrl}/x`)));
    await reads("request-count", `${count} of ${count} requests`);
    expect(await rows.count()).toBe(100);
    await expect.poll(older).toBe(String(count === 100));
  }
  await press("Older requests");
  await page.getByText("#100", { exact: true }).waitFor();
  expect(await rows.count()).toBe(100);
  expect(await older()).toBe("true");
  await button("Older requests").press("Enter");
  expect(await rows.count()).toBe(100);
});

test("shows what was sent and answered, how long it took, and the same as curl, without the key", async () => {
  const { page, button, press, copied, mock, url, createApp, look, listing } = await openPage();
  await createApp();
  mock.fault({ latencyMs: 700 });
  const late = look("it's");
  await mock.clock.advance(700);
  await late;

  await press("Details of request 1");
  await page.getByTestId("body").getByText('"iosUrl": "https').waitFor();
  expect(await button("Details of request 1").getAttribute("aria-expanded")).toBe("true");
  const [row, cell] = [page.locator("tr:has(pre)"), page.locator("td:has(pre)")];
  expect((await cell.boundingBox())?.width).toBe((await row.boundingBox())?.width);
  const answer = await page.getByTestId("answer").textContent();
  expect(answer).toMatch(/^200 after 0 ms\ncontent-type: application\/json\n\n\{\n {2}"appId": "app_1"/);
  await press("Copy as curl");
  const key = `-H "x-api-key: $SCREENSHOT_SETS_API_KEY"`;
  expect(await copied()).toBe(
    `curl -X 'POST' '${url}/public/v1/apps' ${key} -H 'content-type: application/json' ` +
      `--data-raw '${JSON.stringify(listing)}'`,
  );
  await press("Details of request 1");
  await press("Details of request 2");
  await page.getByTestId("answer").getByText("404 after 700 ms").waitFor();
  expect(await page.getByTestId("body").count()).toBe(0);
  await press("Copy as curl");
  expect(await copied()).toBe(`curl -X 'GET' '${url}/public/v1/jobs/it'\\''s' ${key}`);
  await mock.fetch(`${mock.clientOptions.baseUrl}/x`, { method: "it's`x`" });
  await press("Details of request 2");
  await press("Details of request 3");
  await page.getByTestId("answer").getByText("401 after").waitFor();
  await press("Copy as curl");
  expect(await copied()).toBe(`curl -X 'it'\\''s\`x\`' '${url}/x'`);
});

test("asks nothing while nothing changes, and for no requests while it is paused but after a reset", async () => {
  const { page, button, press, reads, mock, look } = await openPage({ clock: "system" });
  await look("a");
  // What it shows from the start is final.
  await page.reload();
  await reads("request-count", "1 of 1 requests");
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const before = await page.getByTestId("now").textContent();

  // The clock of the system goes on, which the page sees for itself.
  await expect.poll(() => page.getByTestId("now").textContent()).not.toBe(before);
  await press("Pause");
  await expect.poll(() => button("Pause").getAttribute("aria-pressed")).toBe("true");
  await look("b");
  // With the second of these, it has done all that it does after the first.
  for (const credits of [7, 8]) {
    mock.credits.set(credits);
    await reads("credits-left", String(credits));
  }

  expect(asked).toEqual([]);
  await reads("request-count", "1 of 1 requests");
  await press("Pause");
  await reads("request-count", "2 of 2 requests");
  await press("Pause");
  mock.reset();
  await reads("request-count", "0 of 0 requests");
  expect(await page.getByTestId("request").count()).toBe(0);
});

test("shows older jobs as long as there are any, and how they go on", async () => {
  const { card, button, press, reads, mock, createApp, createSet } = await openPage({
    allowance: 9_999,
    lifecycle: "manual",
  });
  const appId = await createApp();
  await Promise.all(Array.from({ length: 130 }, () => createSet(appId)));
  await reads("job-count", "100 of 130 jobs");
  expect(await card("job_1").count()).toBe(0);

  await press("Older jobs");

  await card("job_1").waitFor();
  await reads("job-count", "130 jobs");
  expect(await button("Older jobs").count()).toBe(0);
  await press("Succeed job_1");
  await card("job_1").getByText("succeeded").waitFor();
  mock.jobs.advance("job_2");
  await card("job_2").getByText("running").waitFor();
  mock.jobs.fail("job_2");
  await card("job_2").getByText("failed").waitFor();
});

test("takes neither the focus nor what is typed, whatever happens", async () => {
  const { page, field, press, reads, focused, createJob } = await openPage();
  const [body, credits] = [field("Body of the answer"), field("Credits left of account 1")];
  await body.pressSequentially("half a wo");
  await credits.fill("77");
  await field("Search requests").focus();

  await createJob();
  await page.getByRole("article").waitFor();
  await reads("credits-left", "90");

  expect([await body.inputValue(), await credits.inputValue()]).toEqual(["half a wo", "77"]);
  expect(await focused()).toBe("Search requests");
  const held: Route[] = [];
  await page.route("**/_mock/accounts/1", (route) => void held.push(route), { times: 1 });
  const answered = page.waitForResponse("**/_mock/accounts/1");
  await press("Set credits of account 1");
  await expect.poll(() => held.length).toBe(1);
  await credits.fill("78");
  await held[0]?.continue();
  await (await answered).finished();
  await reads("credits-left", "77");
  expect(await credits.inputValue()).toBe("78");
});

test("shares one stream among seven tabs, one more than a browser opens connections, and passes it on when its tab is closed", async () => {
  const { mock, pageUrl } = await servedPage();
  const { context } = await openContext();
  const streams: Page[] = [];
  context.on("request", (request) => {
    if (request.url().endsWith("/events")) streams.push(request.frame().page());
  });
  const tabs = await Promise.all(Array.from({ length: 7 }, async () => handOn(await context.newPage())));
  await Promise.all(tabs.map(({ page }) => page.goto(pageUrl)));
  await Promise.all(tabs.map(({ connection }) => connection("Live")));
  expect(streams).toHaveLength(1);

  mock.credits.set(5);
  await Promise.all(tabs.map(({ reads }) => reads("credits-left", "5")));
  await streams[0]?.close();
  await expect.poll(() => streams.length).toBe(2);
  mock.credits.set(6);
  const rest = tabs.filter(({ page }) => page !== streams[0]);
  await Promise.all(rest.map(({ reads }) => reads("credits-left", "6")));
});

test("shows whatever clients and plans hold as text, cut where it is long", async () => {
  const { page, card, press, unfold, mock, call, createApp, createSet } = await openPage({
    lifecycle: "instant",
  });
  const evil = `<img src=x onerror="alert(1)"><script>alert(2)</script>javascript:alert(3)\u202e{{7*7}}`;
  const address = "https://evil.example/a.png";
  const slides = Array.from({ length: 5_000 }, () => ({ caption: "x".repeat(200) }));
  mock.nextJob({ outcome: "succeeded", slides: [{ caption: evil, [evil]: evil, image: address }, [evil]] });
  mock.nextJob({ outcome: "failed", error: { [evil]: evil, href: address } });
  mock.nextJob({ outcome: "succeeded", slides });
  const appId = await createApp();
  for (let set = 0; set < 3; set++) await createSet(appId);
  await call(`/${encodeURIComponent(evil)}`, { [evil]: evil });
  await call("/x", "x".repeat(1_000_000));
  mock.fault({ status: 500, body: evil, headers: { "x-a": "b" } }, { skip: 99 });

  for (const id of ["job_1", "job_3"]) await unfold(id);
  await card("job_1").getByText(evil).first().waitFor();
  for (const id of [5, 6]) await press(`Details of request ${id}`);
  for (const part of ["error", "fault", "body"]) {
    await page.getByTestId(part).getByText("onerror").waitFor();
  }
  await page.getByTestId("body").getByText("(1000000 characters)").waitFor();

  expect(await page.locator("img, script:not([src]), iframe, a[href*=evil]").count()).toBe(0);
  expect(await card("job_3").getByTestId("slide").count()).toBeLessThan(100);
  expect((await page.content()).length).toBeLessThan(200_000);
});
