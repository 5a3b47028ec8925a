/** The reason of an abort that an operating system signal caused. */
export class Interrupt extends Error {
  override name = "Interrupt";

  constructor(readonly signalName: keyof typeof exitCodes) {
    super(`Ended by ${signalName}`);
  }

  get exitCode(): number {
    return exitCodes[this.signalName];
  }
}

const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/** Settles with the write, or rejects if an interrupt comes first, since a reader may never take the text. */
export function unlessInterrupted(write: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    write.then(resolve, reject);
  });
}

/** A signal that comes sooner after the first is a copy of it, as a wrapper and its process group send one each. */
const copiesMs = 200;

/** Turns Ctrl-C or SIGTERM into an abort. A second one that is no copy ends the process immediately. */
export function catchInterrupts(): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[];
  const onSignal = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) return;
    setTimeout(stop, copiesMs).unref();
    controller.abort(new Interrupt(name as (typeof names)[number]));
  };
  const stop = () => {
    for (const name of names) process.removeListener(name, onSignal);
  };
  for (const name of names) process.on(name, onSignal);
  return { signal: controller.signal, stop };
}
