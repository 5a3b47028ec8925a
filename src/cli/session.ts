import type { AcceptedJob } from "../index.js";
import type { Connection } from "./connect.js";

/** Options of every command that talks to the service. */
export const sessionOptions = {
  json: { type: "boolean" },
  out: { type: "string" },
  verbose: { type: "boolean" },
} as const;

/** How `--help` explains them. */
export const sessionHelp = `  --json               give the result as JSON
  --out FILE           write the result to a file, whole or not at all
  --verbose            show each attempt, and where an error comes from
  --help, -h           show this help
  --version            show the version`;

/** What was typed of them. */
export interface SessionFlags {
  json?: boolean;
  out?: string;
  verbose?: boolean;
}

/** An app, by what is said of it here: a later document may have no name for it, or none that is a string. */
export interface CreatedApp {
  appId?: unknown;
  name?: unknown;
}

/** What a command has at hand while it talks to the service. */
export interface Session extends Connection {
  /** Aborts when the command is interrupted. */
  signal: AbortSignal;
  /** Whether the embedded mock stands in for the service. */
  isMock: boolean;
  /** The app that this command has created. */
  app?: CreatedApp;
  /** What this command has paid for. */
  accepted?: AcceptedJob;
  /** The job that this command waits for. */
  waitsFor?: string;
  /** Whether the result is there, and only has to be written. */
  hasResult?: boolean;
}

/** What a command found out, for programs and for people. */
export interface Result {
  value: unknown;
  text: string;
}

/** The result is there, but could not be handed over. */
export class DeliveryError extends Error {}
