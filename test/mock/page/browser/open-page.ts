import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import type { MockOptions } from "screenshot-sets/mock";
import { test as anyTest, expect, inject, onTestFinished } from "vitest";
import { servedPage } from "../served-page.js";

const endpoint = inject("browserEndpoint");

/** Left out where there is no browser. */
export const test = anyTest.skipIf(endpoint === undefined);

let browser: Promise<Browser> | undefined;

/** A window of its own. Whatever it says on its console, or asks of another machine, is a failure. */
export async function openContext(options: BrowserContextOptions = {}) {
  browser ??= chromium.connect(endpoint ?? "");
  const context = await (await browser).newContext({
    viewport: { width: 1280, height: 900 },
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  // For whoever waits on a busy machine.
  context.setDefaultTimeout(20_000);
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
  const hand = handOn(await context.newPage());
  await hand.page.goto(served.pageUrl);
  await hand.connection("Live");
  return { ...served, ...hand, said };
}

/** What a person does on a page, and sees there. */
export function handOn(page: Page) {
  const field = (name: string) => page.getByLabel(name, { exact: true });
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const press = (name: string) => button(name).click();
  const card = (jobId: string) => page.getByRole("article", { name: `Job ${jobId}`, exact: true });

  /** Unfolds the card of a job that has ended, and waits for what that shows. */
  async function unfold(jobId: string, what: "Slides" | "Error" = "Slides") {
    await press(`${what} of ${jobId}`);
    const list = page.getByRole("list", { name: `Slides of ${jobId}`, exact: true });
    await list.or(card(jobId).getByText("There are no")).waitFor();
  }

  const connection = (text: "Live" | "Reconnecting") =>
    page.getByRole("status", { name: "Connection" }).filter({ hasText: text }).waitFor();

  /** Waits until a part of the page has this text. */
  const reads = (testId: string, text: string | RegExp) =>
    expect
      .poll(() => page.getByTestId(testId).first().textContent())
      .toEqual(typeof text === "string" ? text : expect.stringMatching(text));

  const copied = () => page.evaluate(() => navigator.clipboard.readText());

  /** What has the focus, by its name. */
  const focused = () =>
    page.evaluate(() => {
      const { activeElement } = document;
      return activeElement?.getAttribute("aria-label") ?? activeElement?.textContent?.trim();
    });

  return { page, field, button, press, card, unfold, connection, reads, copied, focused };
}
