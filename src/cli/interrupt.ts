import { setTimeout as delay } from "node:timers/promises";

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

const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** A signal that comes sooner after the first is a copy of it, as a wrapper and its process group send one each. */
const copiesMs = 200;

/** Turns Ctrl-C, SIGTERM or the end of the terminal into an abort. A second one that is no copy ends the process immediately. */
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

/** A terminal shows `^C` only after it has sent the signal, and text that is written before that may be lost. */
export const afterEcho = (): Promise<void> => delay(50);
