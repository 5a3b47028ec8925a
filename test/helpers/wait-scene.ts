import { type ClientOptions, ScreenshotSets } from "screenshot-sets";
import { createMock } from "screenshot-sets/mock";

/** One request for a job, as the service saw it. */
export interface Look {
  jobId: string;
  /** When it was sent, in milliseconds since the scene began. */
  at: number;
  /** When its answer was sent or it was given up. */
  endedAt?: number;
  /** How many requests for the same job came before it. */
  count: number;
}

/** A job's status for a 200, a whole answer, or what `fetch` throws. `takesMs` is how long the answer takes. */
export type Reply =
  | string
  | { status: number; headers?: Record<string, string>; body?: unknown; takesMs?: number }
  | { throws: unknown; takesMs?: number }
  | "hang";

export const job = (id: string, status: string) => ({
  id,
  status,
  result: status === "succeeded" ? { device: "iphone-69", slides: [] } : null,
  error: status === "failed" ? { message: "no listing" } : null,
});

/**
 * A client on virtual time and a service that answers as `reply` says; time stands still but for what sleeps on it.
 */
export function waitScene(
  reply: (look: Look) => Reply,
  { takesMs = 0, ...options }: { takesMs?: number } & ClientOptions = {},
) {
  const { clock } = createMock();
  const beganAt = clock.now();
  const looks: Look[] = [];
  const counts = new Map<string, number>();
  let inFlight = 0;
  const scene = { mostInFlight: 0 };

  const now = () => clock.now() - beganAt;

  async function answer(look: Look, signal: AbortSignal): Promise<Response> {
    const answered = reply(look);
    const isLong = typeof answered === "object" && answered.takesMs !== undefined;
    await clock.sleep(answered === "hang" ? 1e12 : isLong ? (answered.takesMs as number) : takesMs, signal);
    if (typeof answered === "object" && "throws" in answered) throw answered.throws;
    const { status, headers, body } =
      typeof answered === "object"
        ? { headers: {}, body: { message: `answered ${answered.status}` }, ...answered }
        : { status: 200, headers: {}, body: job(look.jobId, answered) };
    return new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers });
  }

  const fetch = async (url: unknown, init?: RequestInit): Promise<Response> => {
    const jobId = decodeURIComponent(String(url).split("/").at(-1) as string);
    const count = counts.get(jobId) ?? 0;
    counts.set(jobId, count + 1);
    const look: Look = { jobId, at: now(), count };
    looks.push(look);
    const signal = init?.signal as AbortSignal;
    scene.mostInFlight = Math.max(scene.mostInFlight, ++inFlight);
    const end = () => {
      if (look.endedAt !== undefined) return;
      inFlight--;
      look.endedAt = now();
    };
    // What is aborted takes no place any more, though it takes some promises to say so.
    signal.addEventListener("abort", end, { once: true });
    return answer(look, signal).finally(end);
  };

  const client = new ScreenshotSets({
    apiKey: "key",
    baseUrl: "https://service.test/api/v1",
    fetch: fetch as typeof globalThis.fetch,
    clock,
    ...options,
  });
  return Object.assign(scene, {
    client,
    clock,
    looks,
    now,
    times: () => looks.map(({ at }) => at),
    /** Does something at a time of the scene. */
    at: (ms: number, act: () => void) => void clock.sleep(ms - now()).then(act),
  });
}
