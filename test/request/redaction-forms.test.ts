import fc from "fast-check";
import { expect, test } from "vitest";
import { redact } from "../../src/secrets/redact.js";

const hexOf = (character: string) => character.charCodeAt(0).toString(16).padStart(2, "0");
const entities: Record<string, string> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" };

/** The ways in which a character may be written, each undone by its own decoder. */
const ways: ((character: string) => string)[] = [
  (character) => character,
  (character) => `\\u00${hexOf(character)}`,
  (character) => `\\u00${hexOf(character).toUpperCase()}`,
  (character) => `\\\\u00${hexOf(character)}`,
  (character) => (/["\\/]/.test(character) ? `\\${character}` : character),
  (character) => (/["\\/]/.test(character) ? `\\\\\\${character}` : character),
  (character) => `%${hexOf(character)}`,
  (character) => `%${hexOf(character).toUpperCase()}`,
  (character) => `&#${character.charCodeAt(0)};`,
  (character) => `&#0000000${character.charCodeAt(0)};`,
  (character) => `&#x${hexOf(character)};`,
  (character) => `&#X000000${hexOf(character).toUpperCase()};`,
  (character) => (entities[character] ? `&${entities[character]};` : character),
];

/** Undoes every escape, whatever it is of. */
function decoded(text: string): string {
  const named = Object.fromEntries(Object.entries(entities).map(([character, name]) => [name, character]));
  return text.replace(
    /\\+(?:u00([0-9a-f]{2})|(.))|%([0-9a-f]{2})|&(?:#x0*([0-9a-f]{2})|#0*(\d{2,3})|(amp|lt|gt|quot|apos));/gi,
    (_, json, plain, url, hex, decimal, name) =>
      plain ??
      named[name?.toLowerCase()] ??
      String.fromCharCode(decimal ? Number(decimal) : Number.parseInt(json ?? url ?? hex, 16)),
  );
}

const key = fc
  .string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 8,
  })
  // A key that has escapes of its own is another when they are undone.
  .filter((made) => decoded(made) === made && !made.includes("\\"));
/** Blanks keep what stands around a key from being a part of its escapes. */
const around = fc.string({ unit: fc.constantFrom(...'sk_ %&\\u041;#x"{}é'), maxLength: 20 });

test("no text holds the key after it was redacted and decoded, however each character was written", () => {
  const written = fc.array(fc.nat(ways.length - 1), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(key, written, around, around, (secret, choices, before, after) => {
      const form = [...secret].map((character, index) =>
        ways[choices[index % choices.length] ?? 0]?.(character),
      );
      const text = `${before} ${form.join("")} ${after}`;
      const redacted = redact(text, [secret]);
      expect(redacted).toContain("***");
      expect(redacted).not.toContain(secret);
      expect(decoded(redacted)).not.toContain(secret);
    }),
    { numRuns: 2_000 },
  );
});

test("a backslash of the key is found as JSON, URLs and HTML write it", () => {
  const secret = "\\sk\\\\live\\";
  for (const form of [
    ...[secret, JSON.stringify(secret), JSON.stringify(JSON.stringify(secret)), encodeURIComponent(secret)],
    ...[...ways].map((way) => [...secret].map(way).join("")),
  ]) {
    expect(redact(`<${form}>`, [secret])).toMatch(/^<[\\"]*\*{3}[\\"]*>$/);
  }
});

test("JSON stays JSON where backslashes stand before the key, or the key begins with what JSON escapes", () => {
  for (const key of ["sk_live_012345", '"sk_live_012345', "/sk_live_012345"]) {
    const text = JSON.stringify({
      path: `C:\\${key}`,
      inner: JSON.stringify([key, `\\${key}`]),
      key,
      last: 1,
    });
    const redacted = redact(text.replaceAll("/", "\\/"), [key]);
    expect(JSON.parse(redacted)).toMatchObject({ path: "C:***", key: "***", last: 1 });
    expect(JSON.parse(redacted).inner).toContain("***");
  }
});

test("a key that no expression can hold is not shown in a text with escapes", () => {
  const secret = "0123456789abcdef".repeat(4_000);
  expect(redact(`\\n ${secret}`, [secret])).not.toContain(secret);
});
