/** One request, as far as the service looks at it. Whoever carries requests to the mock makes these. */
export interface Call {
  method: string;
  /** Below the base URL, as sent. */
  path: string;
  header(name: string): string | null | undefined;
  /** The body. */
  text: string;
  /** What ends the call when its caller gives it up; asked for only where the call has to wait. */
  signal(): AbortSignal | null | undefined;
  /** Whether the caller waits on a clock other than the mock's. */
  hasOwnClock: boolean;
}

/** What comes back. */
export type Answer =
  /** The connection breaks. */
  | { kind: "reset"; status?: undefined }
  /** An answer; a truncated one breaks off in the middle of its body. */
  | { kind: "whole" | "truncated"; status: number; headers: Record<string, string>; body: string };

/**
 * Carries one call to the service and its answer back: at once, save where a fault makes it wait.
 *
 * @throws or rejects with the signal's reason on abort; in a strict mock, an error that names the guess an answer would rest on
 */
export type Engine = (call: Call) => Answer | Promise<Answer>;
