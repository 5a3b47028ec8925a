import { type IPty, spawn } from "@lydell/node-pty";
import { inject, onTestFinished } from "vitest";
import { coverage } from "./run.js";

/** The ends of lines, and what it takes to rewrite some: moving up and erasing, and writing without wrapping. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const controls = /(\r\n|\u001b\[\d+A\r\u001b\[J|\u001b\[\?7[lh])/;

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

  /** What a person sees: moving up, which erases what is below, takes lines away. */
  get screen(): string {
    const lines = [""];
    for (const part of this.raw.split(controls)) {
      if (part === "\r\n") lines.push("");
      else if (part.endsWith("J")) lines.splice(-1 - Number.parseInt(part.slice(2), 10), lines.length, "");
      else if (!part.startsWith("\u001b")) lines.push(`${lines.pop()}${part}`);
    }
    return lines.join("\n");
  }

  /** All lines that it was sent, also those that were rewritten. */
  get lines(): string[] {
    return this.raw.split(controls).filter((part) => !new RegExp(`^${controls.source}$`).test(part));
  }

  /** Resolves once the screen shows this. */
  async shows(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.screen)) {
      await new Promise<void>((resolve) => this.#heard.push(resolve));
    }
  }
}
