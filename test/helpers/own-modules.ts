import { onTestFinished, vi } from "vitest";

/** What the test imports from now on is loaded anew, and nothing of it stays for the files that follow in the process. */
export function loadOwnModules(): void {
  vi.resetModules();
  onTestFinished(() => {
    vi.resetModules();
  });
}
