import { getEventListeners } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { type ClientOptions, ScreenshotSets } from "screenshot-sets";
import { expect } from "vitest";
import { sceneTime } from "./scene-time.js";

/** One request for a job, as received by the service. */
export interface Poll {
  jobId: string;
  /** When it was sent, in milliseconds since the start of the scene. */
  at: number;
  /** When its answer was sent or the request was aborted. */
  endedAt?: number;
  /** How many requests for the same job came before it. */
  count: number;
}

/** A job's status for a 200, "hang", a complete answer, or what `fetch` throws. The answer takes `takesMs`. */
export type Reply =
  | string
  | { status: number; headers?: Record<string, string>; body?: unknown; takesMs?: number }
  | { status: number; stream: ReadableStream; takesMs?: number }
  | { throws: unknown; takesMs?: number };

export const job = (id: string, status: string) => ({
  id,
  status,
  result: status === "succeeded" ? { device: "iphone-69", slides: [] } : null,
  error: status === "failed" ? { message: "no listing" } : null,
});

/** The options of a wait that polls every second. */
export const everySecond = { minDelayMs: 1000, maxDelayMs: 1000 };
/** The parameters of a set. */
export const set = { appId: "app-1", device: "iphone-69" } as const;

/**
 * A client on virtual time, and a service that answers polls as `reply` says, and creates as `creates` says or by
 * accepting them as `job-1`, `job-2` and so on. Time passes only while something sleeps on the clock.
 */
export function waitScene(
  reply: (poll: Poll) => Reply,
  {
    takesMs = 0,
    creates,
    ...options
  }: { takesMs?: number; creates?: { status: number; body: unknown } } & ClientOptions = {},
) {
  const { clock, clientClock, pending } = sceneTime();
  const beganAt = clock.now();
  const polls: Poll[] = [];
  const counts = new Map<string, number>();
  let inFlight = 0;
  const scene = { mostInFlight: 0 };

  const now = () => clock.now() - beganAt;

  async function answer(poll: Poll, signal: AbortSignal): Promise<Response> {
    const replied = reply(poll);
    const answered = typeof replied === "string" ? { status: 200, body: job(poll.jobId, replied) } : replied;
    await clock.sleep(replied === "hang" ? 1e12 : (answered.takesMs ?? takesMs), signal);
    if ("throws" in answered) throw answered.throws;
    if ("stream" in answered) return new Response(answered.stream, answered);
    const { body = { message: `answered ${answered.status}` } } = answered;
    return new Response(typeof body === "string" ? body : JSON.stringify(body), answered);
  }

  let created = 0;
  const fetch = async (url: unknown, init?: RequestInit): Promise<Response> => {
    if (init?.method === "POST") {
      if (creates) return Response.json(creates.body, creates);
      const accepted = { jobId: `job-${++created}`, credits: { cost: 10, remaining: 90 } };
      return new Response(JSON.stringify(accepted), { status: 201 });
    }
    const jobId = decodeURIComponent(String(url).split("/").at(-1) as string);
    const count = counts.get(jobId) ?? 0;
    counts.set(jobId, count + 1);
    const poll: Poll = { jobId, at: now(), count };
    polls.push(poll);
    const signal = init?.signal as AbortSignal;
    scene.mostInFlight = Math.max(scene.mostInFlight, ++inFlight);
    const end = () => {
      if (poll.endedAt !== undefined) return;
      inFlight--;
      poll.endedAt = now();
    };
    // An aborted request is no longer in flight, although its promise takes a few ticks to reject.
    signal.addEventListener("abort", end, { once: true });
    return answer(poll, signal).finally(end);
  };

  /** The warnings and errors that the client has logged. */
  const log: [message: string, fields?: object][] = [];
  const write = (...line: [string, object?]) => void log.push(line);
  const client = new ScreenshotSets({
    apiKey: "key",
    baseUrl: "https://service.test/api/v1",
    fetch: fetch as typeof globalThis.fetch,
    logger: { debug() {}, info() {}, warn: write, error: write },
    ...(clientClock && { clock: clientClock }),
    ...options,
  });

  /** Expects that an ended wait sends no request in the next ten intervals and left no timer and no listener. */
  async function expectNothingLeft(...signals: AbortSignal[]) {
    await turn();
    expect({ pending: pending(), inFlight }).toEqual({ pending: 0, inFlight: 0 });
    expect(signals.flatMap((signal) => getEventListeners(signal, "abort"))).toEqual([]);
    const sent = polls.length;
    await clock.advance(10 * 30_000);
    expect(polls.length).toBe(sent);
  }

  /** Calls `act` at a time of the scene. */
  const at = (ms: number, act: () => void) => void clock.sleep(ms - now()).then(act);

  return Object.assign(scene, {
    client,
    clock,
    log,
    polls,
    now,
    times: (jobId?: string) =>
      polls.filter((poll) => jobId === undefined || poll.jobId === jobId).map(({ at }) => at),
    expectNothingLeft,
    at,
    /** A signal that aborts at a time of the scene. */
    abortAt(ms: number, reason: unknown = "enough"): AbortSignal {
      const controller = new AbortController();
      at(ms, () => controller.abort(reason));
      return controller.signal;
    },
  });
}
