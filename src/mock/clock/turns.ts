/** Turns of the event loop, counted without a timer. */
export interface Turns {
  /** Begins to count, or goes on counting. */
  start(): void;
}

/** How many turns an unused channel is kept, so that calls that follow each other share one. */
const idleTurns = 8;

/**
 * Calls `onTurn` once a turn of the event loop for as long as it returns true.
 *
 * Messages between ports are used because no runner fakes them, while every timer may be a fake one. They go to and
 * fro: Node delivers a message that a port sends to itself within the same turn.
 */
export function createTurns(onTurn: () => boolean): Turns {
  let channel: MessageChannel | undefined;
  let counting = false;
  let idle = 0;

  function open() {
    channel = new MessageChannel();
    const { port1, port2 } = channel;
    port1.onmessage = turn;
    port2.onmessage = () => port2.postMessage(undefined);
    port1.postMessage(undefined);
  }

  function turn() {
    if (counting) counting = onTurn();
    idle = counting ? 0 : idle + 1;
    if (idle <= idleTurns) {
      channel?.port1.postMessage(undefined);
      return;
    }
    // An open port keeps the process alive and is never collected.
    channel?.port1.close();
    channel = undefined;
  }

  return {
    start() {
      counting = true;
      if (!channel) open();
    },
  };
}
