import { createMock } from "screenshot-sets/mock";
import { job, waitScene } from "./wait-scene.js";

/** A client in a process that can be held up: its time then goes on, and nothing is woken. */
export function heldUpScene(statusOf: (jobId: string) => string) {
  const virtual = createMock().clock;
  let heldUpMs = 0;
  const polls: string[] = [];
  const now = () => virtual.now() + heldUpMs;
  const fetch = async (url: unknown) => {
    const jobId = String(url).split("/").at(-1) as string;
    polls.push(jobId);
    return Response.json(job(jobId, statusOf(jobId)));
  };
  const { client } = waitScene(() => "hang", { clock: { now, sleep: virtual.sleep }, fetch });
  return {
    client,
    polls,
    now,
    sleep: virtual.sleep,
    holdUp(ms: number) {
      heldUpMs += ms;
    },
  };
}
