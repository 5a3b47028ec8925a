import { expect, test } from "vitest";
import { changed, issuesOf, load } from "../helpers/generated-module.js";

test("a schema that refers to itself is checked at every depth", async () => {
  const { getJob } = await load(
    changed(({ components: { schemas } }) => {
      schemas.Slide = {
        type: "object",
        required: ["layers"],
        properties: { layers: { type: "array", items: { $ref: "#/components/schemas/Slide" } } },
      };
      schemas.Job.properties.result.properties.slides.items = { $ref: "#/components/schemas/Slide" };
    }),
  );
  const slides = [{ layers: [{ layers: [] }, { layers: [{}] }] }];
  const answer = { id: "job", status: "succeeded", result: { device: "ipad-pro", slides }, error: null };
  expect(issuesOf(getJob.answer, answer)).toEqual([
    { path: "result.slides.0.layers.1.layers.0.layers", message: "Expected an array, got undefined" },
  ]);
});

test("a body is checked against every constraint that the document states, in 3.0 as well", async () => {
  const { createApp } = await load(
    changed((document) => {
      document.openapi = "3.0.3";
      const body = document.components.schemas.CreateAppRequest;
      document.components.schemas.Locale = { type: "string", pattern: "^[a-z]{2}$" };
      Object.assign(body.properties, {
        ratio: { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 1, multipleOf: 0.25 },
        locale: { allOf: [{ $ref: "#/components/schemas/Locale" }], nullable: true },
        tags: { type: "array", minItems: 1, maxItems: 2, uniqueItems: true, items: { type: "string" } },
        target: { oneOf: [{ type: "string" }, { type: "integer" }] },
      });
      body.additionalProperties = false;
    }),
  );
  const issues = (fields: object) => issuesOf(createApp.body, { iosUrl: "https://example.com", ...fields });
  expect(issues({ ratio: 0.25, locale: null, tags: ["a"], target: 1 })).toEqual([]);
  for (const wrong of [
    ...[{ ratio: 0 }, { ratio: 1.25 }, { ratio: 0.3 }, { locale: "deu" }, { tags: [] }, { tags: ["a", "a"] }],
    ...[{ tags: ["a", "b", "c"] }, { target: true }, { other: 1 }],
  ]) {
    expect(issues(wrong), JSON.stringify(wrong)).toHaveLength(1);
  }
});

/** Loads the example with a field for each pattern, and says how many issues a text has there. */
async function withPatterns(patterns: string[]) {
  const { createApp } = await load(
    changed(({ components }) => {
      const fields = patterns.map((pattern, index) => [
        `field${index}`,
        { type: "string", minLength: 1, pattern },
      ]);
      Object.assign(components.schemas.CreateAppRequest.properties, Object.fromEntries(fields));
    }),
  );
  return (pattern: string, text: string) =>
    issuesOf(createApp.body, { iosUrl: "a", [`field${patterns.indexOf(pattern)}`]: text }).length;
}

test("a pattern that is not surely JavaScript's is left to the service", async () => {
  const patterns = [
    ...["\\Ahttps://.*\\z", "^https://.*\\Z", "^https:.{10, 2000}$", "^https:.{,2000}$", "^[[:print:]]+$"],
    ...["^\\p{Graph}+$", "(?i)^HTTPS://", "(?i:HTTPS)", "^h++", "^(?>https)", "(?P<scheme>https)", "^\\h"],
    ...["\\pL", "[a-z&&[^b]]", "[]h]", "/^HTTPS/i", "(", "\\<https\\>", "^[^\\v]+$", "^\\p{Lower}+$"],
    "^[a-z\\x{e4}]$",
  ];
  const issues = await withPatterns(patterns);
  for (const pattern of patterns) {
    expect([pattern, issues(pattern, "https://apps.apple.com/app/id1"), issues(pattern, "")]).toEqual([
      pattern,
      0,
      1,
    ]);
  }
});

test("a pattern of JavaScript is checked, but for what other languages count as words", async () => {
  const patterns: [pattern: string, right: string[], wrong: string[]][] = [
    ["^https://[\\p{L}\\d\\-\\_\\.\\/]+$", ["https://a-b_c.de/1", "https://ä.de"], ["https://a b"]],
    ["^\\w+$", ["abc", "Zoë"], ["a b"]],
    ["^[a-z]{2}$", ["de"], ["dë", "deu"]],
  ];
  const issues = await withPatterns(patterns.map(([pattern]) => pattern));
  for (const [pattern, right, wrong] of patterns) {
    for (const text of right) expect([pattern, text, issues(pattern, text)]).toEqual([pattern, text, 0]);
    for (const text of wrong) expect([pattern, text, issues(pattern, text)]).toEqual([pattern, text, 1]);
  }
});
