import { expect, test } from "vitest";
import { servedPage } from "./served-page.js";

const paths = ["/", "/_mock/state", "/_mock/events", "/_mock/openapi.json", "/_mock/page.js", "/_mock/reset"];

/** Reachable from other machines, and from containers by a name, as `mock --host 0.0.0.0 --allow-host mock`. */
const open = { host: "0.0.0.0", allowedHosts: ["mock", "Mock.internal"] };

/** The status and the code of a refusal. */
const refusal = ({ status, text }: { status: number; text: string }) =>
  `${status} ${JSON.parse(text).error.code}`;

test.each([
  ...["evil.example", "mock.evil.example", "evil.mock", "mock:4010:80", "mock@evil.example"],
  ...["127.0.0.1.evil.example", "localhost.evil.example", "evil-localhost"],
  ...["128.0.0.1", "127.0.0.256", "0.0.0.0"],
  ...["user@localhost", "user:word@mock", "localhost/", "localhost/evil", "mock?x", "mock#x", "localhost\\x"],
])("refuses the host %j, which a foreign page may have in the DNS", async (host) => {
  const { send } = await servedPage({}, open);

  for (const path of paths) expect(refusal(await send("GET", path, { host }))).toBe("403 forbidden_host");
});

test.each([
  ...["127.0.0.1", "127.8.9.10:80", "localhost:4010", "LOCALHOST", "a_1.b.localhost:1", "[::1]:9"],
  ...["mock", "MOCK:4010", "mock.internal:1"],
])("answers to %s", async (host) => {
  const { send } = await servedPage({}, open);

  expect((await send("GET", "/", { host })).status).toBe(200);
  expect((await send("GET", "/_mock/state", { host, origin: `http://${host}` })).status).toBe(200);
});

test("answers to no name that was not allowed, nor to one in the target, but as the service to any", async () => {
  const { send } = await servedPage();

  expect((await send("GET", "/", { host: "mock" })).status).toBe(403);
  expect((await send("GET", "http://evil.example/_mock/state")).status).toBe(403);
  expect((await send("GET", "//evil.example/_mock/state")).status).toBe(404);
  expect((await send("GET", "/api/v1/public/openapi.json", { host: "mock" })).status).toBe(200);
});

test.each([
  { origin: "http://evil.example" },
  { origin: "null" },
  { origin: "https://{host}" },
  { origin: "http://127.0.0.1:1" },
  { origin: "http://localhost:{port}" },
  { "sec-fetch-site": "same-site" },
  { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script" },
  { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" },
])("refuses to be read and changed by another page: %j", async (headers) => {
  const { send, state, host } = await servedPage({}, open);
  const [, port = ""] = host.split(":");
  const sent = JSON.parse(JSON.stringify(headers).replace("{host}", host).replace("{port}", port));
  const { token, epoch } = await state();
  const change = { ...sent, "content-type": "application/json", "x-mock-token": token };

  for (const path of paths) {
    expect(refusal(await send("GET", path, sent))).toBe("403 forbidden_origin");
    expect(refusal(await send("GET", path, { ...sent, host: `mock:${port}` }))).toBe("403 forbidden_origin");
  }
  expect((await send("POST", "/_mock/reset", change)).status).toBe(403);
  expect((await state()).epoch).toBe(epoch);
});

test("lets a link lead to the page, from anywhere, and to nothing else", async () => {
  const { send } = await servedPage();
  const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

  expect((await send("GET", "/", link)).status).toBe(200);
  expect((await send("GET", "/_mock/state", link)).status).toBe(403);
  expect((await send("POST", "/", link)).status).toBe(403);
});

test.each([{ origin: "http://{host}" }, { "sec-fetch-site": "same-origin" }, { "sec-fetch-site": "none" }])(
  "requires the token of this very server from a browser that changes something: %j",
  async (headers) => {
    const { send, host, state } = await servedPage();
    const own = JSON.parse(JSON.stringify(headers).replace("{host}", host));
    const json = { ...own, "content-type": "application/json" };
    const { token, epoch } = await state();
    const another = await (await servedPage()).state();

    for (const wrong of [{}, { "x-mock-token": "" }, { "x-mock-token": another.token }]) {
      const sent = { ...json, ...wrong };
      expect(refusal(await send("POST", "/_mock/reset", sent))).toBe("403 missing_token");
      expect(refusal(await send("DELETE", "/_mock/faults", sent))).toBe("403 missing_token");
      expect(refusal(await send("PATCH", "/_mock/accounts/1", sent))).toBe("403 missing_token");
    }
    expect((await state()).epoch).toBe(epoch);
    expect((await send("GET", "/_mock/jobs", own)).status).toBe(200);
    expect((await send("POST", "/_mock/reset", { ...json, "x-mock-token": token })).status).toBe(204);
    expect((await state()).epoch).not.toBe(epoch);
  },
);

test("has the headers that keep a page to itself, and none that opens it", async () => {
  const { send } = await servedPage();

  for (const path of ["/", "/_mock/state", "/_mock/page.js", "/_mock/reset", "/_mock/nowhere"]) {
    const { headers } = await send("GET", path, { "sec-fetch-site": "same-origin" });
    expect(headers).toMatchObject({
      "content-security-policy":
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      "x-frame-options": "DENY",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    });
    expect(Object.keys(headers).filter((name) => /^access-control|^set-cookie/.test(name))).toEqual([]);
  }
});

test("says without JavaScript that it needs it", async () => {
  const { send } = await servedPage();

  expect((await send("GET", "/")).text).toContain("<noscript><p>This page needs JavaScript.");
});

test.each(["a-key-of-one's-own", 'quo"te\\and/%slash'])(
  "masks the key %s wherever it was sent, also before it was known",
  async (apiKey) => {
    const { mock, send, call, createApp, createSet } = await servedPage({ lifecycle: "instant" });
    const [id, inJson] = [encodeURIComponent(apiKey), JSON.stringify(apiKey).slice(1, -1)];
    const fault = { status: 500, body: { [apiKey]: apiKey }, headers: { "x-a": apiKey } };
    mock.nextJob({ outcome: "succeeded", slides: [{ caption: apiKey, [apiKey]: [apiKey] }] });
    mock.nextJob({ outcome: "failed", error: { [apiKey]: apiKey } });
    const appId = await createApp();
    for (const count of [1, 2]) await createSet(appId, { count });
    mock.fault(fault);
    await call(`/${id}`, { a: `${apiKey} inside` });
    mock.fault(fault, { skip: 9 });
    mock.account({ apiKey });

    const lists = ["requests/4", `requests?search=${id}`, "requests", "state"];
    const texts = [];
    for (const path of [...lists, "jobs/job_1", "jobs/job_2", `jobs?${id}`]) {
      texts.push((await send("GET", `/_mock/${path}`)).text);
    }
    const json = { "content-type": "application/json" };
    texts.push((await send("POST", "/_mock/faults", json, JSON.stringify({ fault: apiKey }))).text);

    for (const text of texts) for (const form of [apiKey, inJson, id]) expect(text).not.toContain(form);
    expect(JSON.parse(texts[0] ?? "")).toMatchObject({
      path: "/***",
      body: { a: "*** inside" },
      responseHeaders: { "x-a": "***" },
      responseBody: { "***": "***" },
    });
    expect(JSON.parse(texts[1] ?? "")).toMatchObject({ total: 4, matching: 0 });
  },
);
