import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

// What is measured runs in a process of its own, so that it is not slowed by what others leave to the compiler and the
// garbage collector.

/** Starts a program of `programs/`. If it fails, the whole run does. */
function begin(name: string, args: string[], options: string[]): ChildProcess {
  const file = new URL(`programs/${name}.ts`, import.meta.url);
  const child = fork(file, args, { execArgv: [...process.execArgv, ...options] });
  return child.once("exit", (code) => {
    if (code !== 0) throw new Error(`${[name, ...args].join(" ")} ended with exit code ${code}.`);
  });
}

async function next<Message>(child: ChildProcess): Promise<Message> {
  const [message] = await once(child, "message");
  return message;
}

/** A program that has started. It ends when it is disconnected. */
export interface Program<Message> {
  child: ChildProcess;
  /** The first thing that it said. */
  message: Message;
}

/** Starts a program and waits for its first message. */
export async function start<Message>(name: string, ...args: string[]): Promise<Program<Message>> {
  const child = begin(name, args, []);
  return { child, message: await next(child) };
}

/** Sends a question to a program and returns its answer. */
export function ask<Answer>({ child }: Program<unknown>, question: object): Promise<Answer> {
  child.send(question);
  return next(child);
}

/**
 * Runs a program that says one thing and ends, and returns that.
 *
 * @param options of Node
 */
export function answerOf<Answer>(name: string, args: string[], options: string[] = []): Promise<Answer> {
  return next(begin(name, args, options));
}
