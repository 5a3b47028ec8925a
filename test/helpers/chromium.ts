import { existsSync } from "node:fs";
import { type BrowserServer, chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { leaveOut } from "./leave-out.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The endpoint of the browser that the tests share; undefined if there is none. */
    browserEndpoint: string | undefined;
  }
}

/** The usual paths of Chromium; first without its window, which takes half of what the tests take. */
const usualPlaces = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The launch options for the browser at `CHROMIUM` or else in a usual place; undefined if there is none. */
export function findChromium() {
  const executablePath = process.env.CHROMIUM ?? usualPlaces.find((place) => existsSync(place));
  const quiet = ["--disable-quic", "--no-first-run", "--disable-background-networking"];
  const args = ["--no-sandbox", "--disable-gpu", ...quiet, "--disable-component-update", "--disable-sync"];
  return executablePath === undefined ? undefined : { executablePath, args };
}

let server: BrowserServer | undefined;

/** Starts a browser for all tests. */
export async function setup(project: TestProject): Promise<void> {
  const found = findChromium();
  if (found === undefined) {
    leaveOut(project, "there is no CHROMIUM, and none in the usual places");
  } else {
    server = await chromium.launchServer(found);
  }
  project.provide("browserEndpoint", server?.wsEndpoint());
}

export async function teardown(): Promise<void> {
  await server?.close();
}
