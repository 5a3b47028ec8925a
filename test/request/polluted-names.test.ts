import { readdirSync, readFileSync } from "node:fs";
import { ScreenshotSets, ScreenshotSetsError } from "screenshot-sets";
import { expect, test } from "vitest";
import { documentedCredits } from "../helpers/documented-credits.js";
import { drawn } from "../helpers/draws.js";
import { polluted } from "../helpers/polluted.js";

/** What the language and the platform look for in every object, so that nothing works where all seem to have it. */
const ofThePlatform = ["then", "get", "set", "return", "cancel", "toJSON"];

/** Every word in the code of a call and a wait, the names of all their fields among them. */
const names = ["client.ts", "errors", "generated", "options", "request", "schema", "secrets", "time", "wait"]
  .flatMap((room) => (room.endsWith(".ts") ? [room] : filesIn(room)))
  .map((file) => readFileSync(`src/${file}`, "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, ""))
  .flatMap((code) => code.match(/[a-z_]\w*/gi) ?? []);
const ownNames = new Set(
  names.filter((name) => !(name in Object.prototype) && !ofThePlatform.includes(name)),
);

test.each([
  ["a text", "x"],
  ["a function", () => "x"],
])(
  "no name of the sources costs a second create or a charged job where Object.prototype has it as %s",
  async (_, value) => {
    const settings = { apiKey: "sk_live_0123456789", baseUrl: "https://example.com/api/v1" };
    const params = { appId: "app_1", device: "iphone-69" } as const;
    const accepted = { jobId: "job_1", credits: documentedCredits(10, 90) };
    const outcome = async (answer: () => Response) => {
      let sent = 0;
      const fetch = async () => {
        sent++;
        return answer();
      };
      const call = async () => new ScreenshotSets({ ...settings, fetch }).screenshots.create(params);
      const error = await call().then(
        () => undefined,
        (thrown) => thrown,
      );
      return { sent, error, isOurs: error instanceof ScreenshotSetsError };
    };
    const job = {
      id: "job_1",
      status: "succeeded",
      result: { device: "iphone-69", slides: [] },
      error: null,
    };
    const wait = async () => {
      try {
        const client = new ScreenshotSets({
          ...settings,
          fetch: async () => new Response(JSON.stringify(job)),
        });
        return (await client.waitForJob(job.id, { timeoutMs: 50 })).status;
      } catch (error) {
        return error instanceof ScreenshotSetsError ? "an error of ours" : error;
      }
    };
    const reset = () => {
      throw new TypeError("fetch failed", {
        cause: Object.assign(new Error("closed"), { code: "UND_ERR_SOCKET" }),
      });
    };
    expect(ownNames.size).toBeGreaterThan(1000);
    for (const name of drawn([...ownNames])) {
      const lost = await polluted(name, value, () => outcome(reset));
      expect([0, 1], `sent with ${name}`).toContain(lost.sent);
      if (lost.sent === 1) expect(lost.error?.charged, `charged with ${name}`).toBe("maybe");
      const { sent, error, isOurs } = await polluted(name, value, () =>
        outcome(() => new Response(JSON.stringify(accepted), { status: 201 })),
      );
      if (sent > 0 && error !== undefined) {
        expect({ sent, isOurs, charged: error.charged }, `accepted with ${name}`).toEqual({
          ...{ sent: 1, isOurs: true, charged: "maybe" },
        });
      }
      // A wait that hangs ends the test by its time-out.
      const ended = await polluted(name, value, wait);
      expect(ended, `waited with ${name}`).toBeOneOf([job.status, "an error of ours"]);
    }
  },
);

function filesIn(room: string): string[] {
  const files = readdirSync(`src/${room}`, { recursive: true, encoding: "utf8" });
  return files.filter((file) => file.endsWith(".ts")).map((file) => `${room}/${file}`);
}
