import type { VirtualTime } from "./virtual-time.js";

const halfTripMs = 50;

/** A job that runs for a while, and somebody who looks whether it has ended. */
export class SimulatedService {
  readonly #time: VirtualTime;
  #endsAt = 0;
  #looks = 0;
  /** Jobs until now. */
  jobs = 0;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  /** Waits for a job of this duration with `wait`. Gives back how often it looked, and how late it saw the end. */
  async measure(
    durationMs: number,
    wait: () => Promise<unknown>,
  ): Promise<{ looks: number; lateMs: number }> {
    this.jobs++;
    this.#looks = 0;
    this.#endsAt = this.#time.now() + durationMs;
    await this.#time.passUntil(wait());
    return { looks: this.#looks, lateMs: this.#time.now() - this.#endsAt };
  }

  /** One look: whether the job had ended when the question arrived. */
  async hasEnded(): Promise<boolean> {
    this.#looks++;
    await this.#time.sleep(halfTripMs);
    const hasEnded = this.#time.now() >= this.#endsAt;
    await this.#time.sleep(halfTripMs);
    return hasEnded;
  }

  /** A `fetch` for which every GET is a look; any other request takes no time. */
  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const method = input instanceof Request ? input.method : (init?.method ?? "GET");
    if (method.toUpperCase() !== "GET") return Response.json(this.answer(false), { status: 201 });
    return Response.json(this.answer(await this.hasEnded()));
  };

  /** What the service says of the job; set by whoever looks. */
  answer: (hasEnded: boolean) => unknown = () => ({});
}
