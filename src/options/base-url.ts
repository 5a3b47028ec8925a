import { ConfigurationError } from "../errors/errors.js";
import { wrongOption } from "../errors/wrong-option.js";
import { basePath } from "../generated/values.js";
import { environment, whiteSpaceIn } from "../secrets/key.js";

/**
 * The service's address, from the option or the environment, without a trailing slash. Messages never repeat it, since
 * it may contain a password.
 */
export function checkedBaseUrl(option: unknown, allowHttp: boolean): string {
  const given = option === undefined ? environment("SCREENSHOT_SETS_BASE_URL") : option;
  const source = option === undefined ? "SCREENSHOT_SETS_BASE_URL" : "`baseUrl`";
  if (given === undefined) {
    throw new ConfigurationError(
      `The base URL is missing. Set the environment variable SCREENSHOT_SETS_BASE_URL or pass \`baseUrl\`, the service's address, such as https://api.example.com${basePath}.`,
    );
  }
  if (typeof given !== "string" || given === "") {
    const advice = given instanceof URL ? "Pass its `href`." : "";
    throw wrongOption(source, "the service's address in a string", given, advice);
  }
  const fault = faultIn(given);
  if (fault) {
    throw new ConfigurationError(
      `Expected ${source} to be the service's address, such as https://api.example.com${basePath}, but it ${fault}.`,
    );
  }
  const url = new URL(given);
  if (url.protocol === "http:" && !allowHttp && !isLoopback(url.hostname)) {
    throw new ConfigurationError(
      `Refused ${source}, which would send the API key unencrypted. Use https; plain http is allowed to loopback hosts only. For a mock in a container of its own, set \`dangerouslyAllowHttp: true\`.`,
    );
  }
  return url.href.replace(/\/+$/, "");
}

/** What is wrong with an address. */
function faultIn(given: string): string | undefined {
  if (/^["'`“‘]|["'`”’]$/.test(given)) return "is in quotes: remove them";
  const whiteSpace = whiteSpaceIn(given);
  if (whiteSpace) return whiteSpace;
  if (/[{}<>]/.test(given)) return "holds a placeholder in brackets: put the address in its place";
  if (!/^https?:\/\//i.test(given)) {
    return given.includes("://") ? "has a scheme other than https" : "has no scheme: begin it with https://";
  }
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined) return "is not a valid URL";
  if (url.username || url.password || /[?#]/.test(given)) {
    return "holds user information, a query or a fragment: remove it";
  }
  return undefined;
}

/**
 * Whether a host is this machine, so that plain HTTP to it crosses no network.
 *
 * @param host as `URL` normalises it, which makes `127.0.0.1` of `0x7f.1`
 */
export function isLoopback(host: string): boolean {
  return /^(127(\.\d+){3}|\[::1\]|(.+\.)?localhost)$/.test(host);
}
