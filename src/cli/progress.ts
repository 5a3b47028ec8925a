import { printableLine } from "./printable.js";

/** What people see while they wait, on standard error. */
export interface Progress {
  /** Prints a line that stays. */
  say(line: string): void;
  /** What begins now, and is timed from now; only a terminal shows it. */
  begin(state: string): void;
  /** What it has become: the live line of a terminal, elsewhere a line of its own. */
  change(state: string): void;
  /** The last change: a line that stays everywhere. */
  end(state: string): void;
  /** Takes the live line away. */
  close(): void;
}

interface Surroundings {
  stream: NodeJS.WriteStream;
  environment: NodeJS.ProcessEnv;
  /** Milliseconds. */
  now(): number;
  /** Requests that looked at the job so far. */
  polls(): number;
}

/**
 * A terminal gets one line that is written over; where lines are kept (files, continuous integration) or a terminal
 * cannot go back, each change gets its own. No colours, so there are none to turn off.
 */
export function createProgress({ stream, environment, now, polls }: Surroundings): Progress {
  const live =
    stream.isTTY && environment.TERM !== "dumb" && !isOn(environment.CI) ? liveLine(stream) : undefined;
  let state: string | undefined;
  let startedAt = 0;

  const line = () => {
    const count = polls();
    const looked = count > 0 ? `, ${count} ${count === 1 ? "poll" : "polls"}` : "";
    return `${state} (${duration(now() - startedAt)}${looked})`;
  };
  const show = () => {
    if (state !== undefined) live?.show(line());
  };
  const say = (text: string) => {
    live?.clear();
    stream.write(`${printableLine(text)}\n`);
    show();
  };
  const timer = live && setInterval(show, 1000);
  timer?.unref();

  const set = (text: string) => {
    state = printableLine(text);
  };
  return {
    say,
    begin(text) {
      startedAt = now();
      set(text);
      show();
    },
    change(text) {
      set(text);
      if (live) show();
      else say(line());
    },
    end(text) {
      set(text);
      const last = line();
      state = undefined;
      say(last);
    },
    close() {
      clearInterval(timer);
      state = undefined;
      live?.clear();
    },
  };
}

/** One line that is written over, without any of a terminal's commands but the return to its begin. */
function liveLine(stream: NodeJS.WriteStream): { show(text: string): void; clear(): void } {
  let shown = 0;
  const write = (text: string) => {
    const fitting = [...text].slice(0, (stream.columns || 80) - 1).join("");
    stream.write(`\r${fitting}${" ".repeat(Math.max(shown - fitting.length, 0))}`);
    shown = fitting.length;
  };
  return {
    show: write,
    clear() {
      if (shown === 0) return;
      write("");
      stream.write("\r");
    },
  };
}

function isOn(variable: string | undefined): boolean {
  return variable !== undefined && !/^(0|false|)$/i.test(variable);
}

function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
