import { type Dispatcher, type RequestInit, fetch as undiciFetch } from "undici";
import { onTestFinished } from "vitest";

/** Undici's `fetch` through a dispatcher, which is closed at the end of the test. */
export function fetchThrough(dispatcher: Dispatcher): typeof globalThis.fetch {
  onTestFinished(() => dispatcher.destroy());
  const fetch = (url: string, init: RequestInit) => undiciFetch(url, { ...init, dispatcher });
  return fetch as unknown as typeof globalThis.fetch;
}
