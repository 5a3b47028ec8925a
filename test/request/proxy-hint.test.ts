import { ConnectionError, ScreenshotSets } from "screenshot-sets";
import { Agent, EnvHttpProxyAgent } from "undici";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { freePort } from "../helpers/free-port.js";

const undiciMajor = Number.parseInt(String(process.versions.undici), 10);
const dispatcherKey = Symbol.for(`undici.globalDispatcher.${undiciMajor < 8 ? 1 : 2}`);
const globals = globalThis as Record<symbol, unknown>;

const proxy = "http://127.0.0.1:9";

beforeEach(() => {
  const names = "HTTPS_PROXY https_proxy HTTP_PROXY http_proxy NO_PROXY no_proxy";
  for (const name of [...names.split(" "), "NODE_USE_ENV_PROXY", "NODE_OPTIONS"]) vi.stubEnv(name, undefined);
});

/** The message of a call that finds no such host. */
async function messageWithout(
  options: object = {},
  baseUrl = "https://api.service.invalid/api/v1",
): Promise<string> {
  const client = new ScreenshotSets({ apiKey: "key", baseUrl, maxRetries: 0, ...options });
  const error = await client.jobs.get("job_1").catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ConnectionError);
  return (error as Error).message;
}

const heeds = process.allowedNodeEnvironmentFlags.has("--use-env-proxy");

test.each<Record<string, string>>([
  { HTTPS_PROXY: proxy },
  { https_proxy: proxy },
  { HTTPS_PROXY: proxy, NO_PROXY: "localhost,127.0.0.1, other.invalid,rvice.invalid" },
])(
  "a connection that fails beside a proxy that Node does not heed says what to do: %j",
  async (variables) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    const message = await messageWithout();
    const [name] = Object.keys(variables);
    const set = heeds ? "set NODE_USE_ENV_PROXY=1, or " : "";
    expect(message).toMatch(/^getJob failed: no answer from \S+ \(/);
    expect(message).toContain(
      `${name} is set, but Node's own \`fetch\` does not heed it: ${set}give the client \`fetch: undiciFetch({ dispatcher: new EnvHttpProxyAgent() })\`.`,
    );
  },
);

const hint = "does not heed";

test.each<Record<string, string>>([
  {},
  { HTTPS_PROXY: "" },
  { HTTP_PROXY: proxy },
  { HTTPS_PROXY: proxy, NODE_USE_ENV_PROXY: "1" },
  { HTTPS_PROXY: proxy, NODE_OPTIONS: "--no-warnings --use-env-proxy" },
  ...[
    "*",
    "api.service.invalid",
    "a,.service.invalid",
    "*.invalid",
    "service.invalid",
    "API.service.invalid:443",
  ].map((NO_PROXY) => ({ HTTPS_PROXY: proxy, NO_PROXY })),
  { HTTPS_PROXY: proxy, no_proxy: "invalid" },
])("no hint at a proxy is given where it may be false: %j", async (variables) => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  expect(await messageWithout()).not.toContain(hint);
});

test.each(["HTTP_PROXY", "http_proxy"])("an address of plain http names %s", async (name) => {
  vi.stubEnv("HTTPS_PROXY", proxy);
  vi.stubEnv(name, proxy);
  const message = await messageWithout({ dangerouslyAllowHttp: true }, "http://mock.invalid/api/v1");
  expect(message).toContain(`${name} is set, but`);
});

test("no hint is given for the flag of Node, another fetch, another dispatcher, and this machine", async () => {
  vi.stubEnv("HTTPS_PROXY", proxy);
  vi.stubEnv("HTTP_PROXY", proxy);
  expect(await messageWithout({}, `http://127.0.0.1:${await freePort()}/api/v1`)).not.toContain(hint);
  const { fetch } = globalThis;
  expect(await messageWithout({ fetch })).not.toContain(hint);
  vi.stubGlobal("fetch", (...typed: Parameters<typeof fetch>) => fetch(...typed));
  expect(await messageWithout()).not.toContain(hint);
  vi.unstubAllGlobals();

  process.execArgv.push("--use-env-proxy");
  onTestFinished(() => void process.execArgv.splice(process.execArgv.indexOf("--use-env-proxy"), 1));
  expect(await messageWithout()).not.toContain(hint);
});

test.each([
  ["a proxy's", () => new EnvHttpProxyAgent()],
  [
    "one that connects by itself",
    () =>
      new Agent({
        connect: (_, done) => done(Object.assign(new Error("no"), { code: "ECONNREFUSED" }), null),
      }),
  ],
])("no hint is given where the global dispatcher is %s", async (_, dispatcher) => {
  vi.stubEnv("HTTPS_PROXY", proxy);
  const own = globals[dispatcherKey];
  onTestFinished(() => {
    globals[dispatcherKey] = own;
  });
  globals[dispatcherKey] = dispatcher();
  expect(await messageWithout()).not.toContain(hint);
});
