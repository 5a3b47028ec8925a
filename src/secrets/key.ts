import { ConfigurationError } from "../errors/errors.js";
import { wrongSecret } from "../errors/wrong-option.js";
import { redact } from "./redact.js";

/** The secret key of an account, or a function that returns it. */
export type ApiKey = string | (() => string | Promise<string>);

/**
 * Returns the key for the next request, from the user's function if there is one. It is a closure, so that
 * `util.inspect` and `JSON.stringify` cannot reach the key.
 */
export interface KeySource {
  (): string | Promise<string>;
  /** The latest keys that were returned, which errors and log lines must not repeat; empty before the first. */
  recent(): readonly string[];
}

/** How many keys of a function are remembered: it may return those of several accounts in turn. */
const rememberedKeys = 16;

/** The source of the key: the option, or else the environment. */
export function keySource(apiKey: ApiKey | undefined): KeySource {
  const given = apiKey === undefined ? environment("SCREENSHOT_SETS_API_KEY") : apiKey;
  if (typeof given === "function") {
    let recent: string[] = [];
    const next = async () => {
      const key = await ask(given, recent);
      recent = [...new Set([key, ...recent])].slice(0, rememberedKeys);
      return key;
    };
    return Object.assign(next, { recent: () => recent });
  }
  if (given === undefined) {
    throw new ConfigurationError(
      "The API key is missing. Set the environment variable SCREENSHOT_SETS_API_KEY or pass `apiKey`.",
    );
  }
  const key = checked(given, apiKey === undefined ? "SCREENSHOT_SETS_API_KEY" : "`apiKey`");
  return Object.assign(() => key, { recent: () => [key] });
}

/** An environment variable. An empty one counts as absent, and so does one that the platform lacks or hides. */
export function environment(name: string): string | undefined {
  try {
    return process.env[name] || undefined;
  } catch {
    return undefined;
  }
}

/** Calls the user's function. Its error is redacted, since it may repeat an earlier key. */
async function ask(give: () => string | Promise<string>, known: readonly string[]): Promise<string> {
  let key: string;
  try {
    key = await give();
  } catch (thrown) {
    const cause = redact(thrown, known);
    throw new ConfigurationError("Failed to get the API key: the `apiKey` function threw.", { cause });
  }
  return checked(key, "what the `apiKey` function returns");
}

/** Refuses a key that no header can hold, without repeating it. */
function checked(key: unknown, source: string): string {
  const expected = "an API key of visible ASCII characters";
  if (typeof key !== "string" || key === "") {
    const advice = key instanceof Promise ? "Pass a function that returns it." : "";
    throw wrongSecret(source, expected, key, advice);
  }
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  const isHeader = /^bearer\s/i.test(key);
  const fault = isHeader ? "begins with `Bearer`: pass the key alone" : (whiteSpaceIn(key) ?? "holds others");
  throw new ConfigurationError(`Expected ${source} to be ${expected}, but it ${fault}.`);
}

/** What is wrong with a text that must not contain white space. */
export function whiteSpaceIn(text: string): string | undefined {
  if (/[\r\n]\s*$/.test(text)) return "ends in a line break, as texts from files do: trim it";
  if (text.trim() !== text) return "begins or ends with white space: trim it";
  return /\s/.test(text) ? "has white space in it" : undefined;
}
