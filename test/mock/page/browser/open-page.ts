import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import type { MockOptions } from "screenshot-sets/mock";
import { test as anyTest, expect, inject, onTestFinished } from "vitest";
import { servedPage } from "../served-page.js";

const endpoint = inject("browserEndpoint");

/** Left out where there is no browser. */
export const test: typeof anyTest.skipIf extends (condition: boolean) => infer Test ? Test : never =
  anyTest.skipIf(endpoint === undefined);

let browser: Promise<Browser> | undefined;

/** For whoever waits on a busy machine. */
export const patient = { timeout: 20_000, interval: 20 };

/** A window of its own. Whatever it says on its console, or asks of another machine, is a failure. */
export async function openContext(options: BrowserContextOptions = {}) {
  browser ??= chromium.connect(endpoint ?? "");
  const context = await (await browser).newContext({
    viewport: { width: 1280, height: 900 },
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  context.setDefaultTimeout(patient.timeout);
  const said: string[] = [];
  const foreign: string[] = [];
  context.on("console", (message) => {
    // Chromium itself notes each connection that is lost.
    if (!message.text().includes("net::ERR_")) said.push(message.text());
  });
  context.on("weberror", (error) => said.push(String(error.error())));
  context.on("request", (request) => {
    if (new URL(request.url()).hostname !== "127.0.0.1") foreign.push(request.url());
  });
  onTestFinished(async () => {
    await context.close();
    expect({ said, foreign }).toEqual({ said: [], foreign: [] });
  });
  return { context, said };
}

/** The page of a mock in a window, live. */
export async function openPage(options?: MockOptions, contextOptions?: BrowserContextOptions, port?: number) {
  const served = await servedPage(options, { port });
  const { context, said } = await openContext(contextOptions);
  const page = await context.newPage();
  await page.goto(served.pageUrl);
  await connection(page, "Live");
  return { ...served, context, said, page };
}

export async function connection(page: Page, text: "Live" | "Reconnecting"): Promise<void> {
  await page.getByRole("status", { name: "Connection" }).filter({ hasText: text }).waitFor();
}

/** A field by its name. */
export const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });

/** What stands on the clipboard. */
export const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

/** Presses a button by its name. */
export const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

/** The card of a job. */
export const card = (page: Page, jobId: string) =>
  page.getByRole("article", { name: `Job ${jobId}`, exact: true });

/** Unfolds the card of a job that has ended, and waits for what that shows. */
export async function unfold(page: Page, jobId: string): Promise<void> {
  await press(page, `Slides of ${jobId}`);
  const list = page.getByRole("list", { name: `Slides of ${jobId}`, exact: true });
  await list.or(card(page, jobId).getByText("There are no")).waitFor();
}

/** Waits until a part of the page has exactly this text. */
export async function reads(page: Page, testId: string, text: string | RegExp): Promise<void> {
  await expect
    .poll(() => page.getByTestId(testId).first().textContent(), patient)
    .toMatch(
      typeof text === "string" ? new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`) : text,
    );
}

/** What has the focus, by its name. */
export const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    return element?.getAttribute("aria-label") ?? element?.textContent?.trim() ?? "";
  });
