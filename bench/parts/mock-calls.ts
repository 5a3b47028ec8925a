// biome-ignore lint/correctness/useImportExtensions: it is JSON
import project from "../../package.json" with { type: "json" };
import { microseconds, takeTurns } from "../compare.js";
import { ourMock, ourMswHandlers, peer } from "../contestants.js";
import type { Part } from "../part.js";

const body = JSON.stringify({ appId: "app_1", device: "iphone-69", count: 5 });
const answer = { jobId: "job_1", credits: { cost: 10, remaining: 999_999_000 } };
const allowance = 1_000_000_000;

type Fetch = typeof globalThis.fetch;
type Call = () => Promise<unknown>;

/** The same call for all contestants, with only a `fetch`. */
function callBy(fetch: Fetch, baseUrl: string, apiKey: string): Call {
  return async () => {
    const response = await fetch(`${baseUrl}/public/v1/screenshots`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body,
    });
    if (response.status !== 201) throw new Error(`Failed with ${response.status}`);
    return response.json();
  };
}

const text = JSON.stringify(answer);
const stubbedFetch: Fetch = async () =>
  new Response(text, { status: 201, headers: { "content-type": "application/json" } });

/** A mock with one app, its first. */
async function mockWithApp(baseUrl: string) {
  const { createMock } = await ourMock();
  const mock = createMock({ allowance, baseUrl });
  const { apiKey, fetch } = mock.clientOptions;
  await fetch(`${baseUrl}/public/v1/apps`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ iosUrl: "https://apps.apple.com/us/app/example/id1234567890" }),
  });
  return mock;
}

export const part: Part = {
  name: "mock-calls",
  title: "What a call to the mock costs",
  async run() {
    const [direct, throughMsw] = [
      await mockWithApp("https://direct.test/api/v1"),
      await mockWithApp("https://msw.test/api/v1"),
    ];
    const { handlers } = await ourMswHandlers();
    // The project's own installation of msw, because the handlers also use it.
    const { http, HttpResponse } = await peer<typeof import("msw")>("msw");
    const { setupServer } = await peer<typeof import("msw/node")>("msw/node");
    const server = setupServer(
      ...handlers(throughMsw),
      http.post("https://stub.test/public/v1/screenshots", () => HttpResponse.json(answer, { status: 201 })),
    );
    server.listen({ onUnhandledRequest: "error" });
    const { apiKey } = direct.clientOptions;
    const calls = {
      "stubbed fetch": callBy(stubbedFetch, "https://stub.test", apiKey),
      "mock.fetch": callBy(direct.fetch, direct.clientOptions.baseUrl, apiKey),
      "msw, a handler that answers the same": callBy(globalThis.fetch, "https://stub.test", apiKey),
      "msw, the mock's handlers": callBy(globalThis.fetch, throughMsw.clientOptions.baseUrl, apiKey),
    };
    const timings = await takeTurns(Object.values(calls), { warmUpRounds: 3, rounds: 15 }, microseconds(400));
    server.close();
    return {
      columns: ["", "µs a call", "÷ stubbed fetch"],
      rows: timings.map(([timing], index) => {
        return [Object.keys(calls)[index] ?? "", timing?.median ?? "", timing?.ratio ?? ""];
      }),
      limits: ["stubbed fetch"],
      notes: [
        `One POST with JSON both ways, by \`fetch\` alone: a set that the mock checks, accepts, charges and notes, beside answers that were made beforehand. msw is ${project.devDependencies.msw}.`,
        "Medians of 15 rounds of 400 calls; the ratio is the median of each round's ratio.",
      ],
    };
  },
};
