import { type IPty, spawn } from "@lydell/node-pty";
import { inject, onTestFinished } from "vitest";
import { coverage } from "./run.js";

/** A run of the built command in its own terminal. */
export class Terminal {
  /** Everything it was sent, control characters included. */
  raw = "";
  readonly exitCode: Promise<number>;
  readonly #pty: IPty;
  #heard: (() => void)[] = [];

  constructor(args: string[], environment: Record<string, string>, columns = 100) {
    const { PATH = "" } = process.env;
    const env = { PATH, TERM: "xterm-256color", ...coverage, ...environment };
    this.#pty = spawn(process.execPath, [inject("command"), ...args], { cols: columns, rows: 50, env });
    this.#pty.onData((text) => {
      this.raw += text;
      for (const heard of this.#heard.splice(0)) heard();
    });
    let hasEnded = false;
    this.exitCode = new Promise((resolve) =>
      this.#pty.onExit(({ exitCode }) => {
        hasEnded = true;
        resolve(exitCode);
      }),
    );
    onTestFinished(() => {
      if (!hasEnded) this.#pty.kill("SIGKILL");
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  type(text: string): void {
    this.#pty.write(text);
  }

  /** What a person sees: text after a carriage return overwrites the line. */
  get screen(): string {
    return this.raw.split("\r\n").map(overwritten).join("\n");
  }

  /** Resolves once the screen shows this. */
  async shows(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.screen)) {
      await new Promise<void>((resolve) => this.#heard.push(resolve));
    }
  }
}

function overwritten(line: string): string {
  const shown = line.split("\r").reduce((before, text) => text + before.slice(text.length), "");
  return shown.trimEnd();
}
