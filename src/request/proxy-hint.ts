import { isLoopback } from "../options/base-url.js";
import { environment } from "../secrets/key.js";
import { globalDispatcher } from "./platform-fetch.js";

/**
 * What to do about a proxy in the environment that Node's own `fetch` did not heed when it could not connect. Empty where
 * any doubt is left, since a false hint costs more than none.
 */
export function proxyHint(url: string): string {
  const { protocol, hostname } = new URL(url);
  const name = protocol === "https:" ? "https_proxy" : "http_proxy";
  const proxy = [name, name.toUpperCase()].find(environment);
  if (!proxy || isLoopback(hostname) || isExempt(hostname) || !isUnproxied()) return "";
  const canHeed = process.allowedNodeEnvironmentFlags.has(flag);
  const set = canHeed ? "set NODE_USE_ENV_PROXY=1, or " : "";
  return ` ${proxy} is set, but Node's own \`fetch\` does not heed it: ${set}give the client \`fetch: undiciFetch({ dispatcher: new EnvHttpProxyAgent() })\`.`;
}

const flag = "--use-env-proxy";

/** Whether `fetch` is Node's own, and nobody has told it to use a proxy. */
function isUnproxied(): boolean {
  const agent = globalDispatcher();
  if (!String(globalThis.fetch).startsWith("function fetch(input, init = undefined)")) return false;
  if (agent?.constructor.name !== "Agent" || connectsItself(agent)) return false;
  const flags = [...process.execArgv, environment("NODE_OPTIONS")].join();
  return !flags.includes(flag) && !environment("NODE_USE_ENV_PROXY");
}

/** Whether an agent of undici's was given a `connect`, such as one that goes through SOCKS. */
function connectsItself(agent: object): boolean {
  const options = Object.getOwnPropertySymbols(agent).find(({ description }) => description === "options");
  return Boolean((agent as Record<symbol, { connect?: unknown }>)[options as symbol]?.connect);
}

/** Whether `NO_PROXY` names a host or a domain above it. */
function isExempt(host: string): boolean {
  const list = environment("no_proxy") ?? environment("NO_PROXY") ?? "";
  const names = list
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((name) => name.replace(/^\*?\.|:\d+$/g, ""));
  return names.some((name) => name === "*" || `.${host}`.endsWith(`.${name.toLowerCase()}`));
}
