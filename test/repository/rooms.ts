/**
 * The rooms of `src`, and what each may import besides its own files: other rooms, packages and manifests. A room is a
 * folder, or a file at the top; of folders within folders the innermost that has a row counts. Node's own modules are
 * `node:`. Imports of types count.
 */
const imports = {
  index: "job-end client resources options/ types errors/ wait/ secrets/ schema/ time/ generated/",
  client: "resources set-access request/ wait/ options/ errors/ secrets/ time/ types generated/",
  params: "request/ schema/ types generated/",
  "set-access": "wait/ secrets/ time/ types",
  resources: "wait/ options/ types",
  "request/":
    "options/ peer-version secrets/ errors/ time/ schema/ types generated/ openapi-fetch undici node: is-read text/",
  "wait/": "options/ secrets/ errors/ time/ job-end types",
  "options/": "secrets/ errors/ time/ schema/ generated/ package.json text/",
  "secrets/": "errors/",
  "errors/": "types schema/ generated/",
  "time/": "",
  "job-end": "types",
  "is-read": "",
  "peer-version": "",
  "text/": "",
  types: "generated/",
  "generated/": "schema/",
  "schema/": "zod",
  "batch/":
    "durable/ set-access request/ wait/ options/ secrets/ errors/ time/ generated/ types client node: text/",
  "durable/": "set-access request/ wait/ options/ errors/ schema/ time/ job-end types client text/",
  "durable/bullmq/": "durable/ set-access options/ peer-version errors/ types client bullmq",
  "cli/":
    "cli/commands/ index request/ secrets/ batch/ durable/ mock/ errors/ set-access params schema/ time/ job-end generated/ cross-spawn node: package.json openapi.json text/",
  "cli/commands/": "cli/ index mock/",
  "mock/": "errors/ options/ generated/ mock/service/ mock/engine/ mock/clock/ mock/carriers/ msw",
  "mock/page/":
    "mock/carriers/ mock/engine/ mock/service/ mock/ options/ schema/ time/ generated/ package.json node: zod is-read",
  "mock/page/browser/": "mock/page/ mock/ errors/ generated/ preact text/",
  "mock/carriers/": "mock/page/ mock/engine/ mock/service/ mock/ errors/ options/ time/ generated/ node:",
  "mock/engine/": "mock/ mock/service/ mock/clock/ errors/ options/ time/ schema/ generated/ is-read",
  "mock/service/": "mock/ errors/ options/ secrets/ schema/ job-end generated/ openapi.json is-read",
  "mock/clock/": "time/",
};

export const rooms: Record<string, string[]> = Object.fromEntries(
  Object.entries(imports).map(([room, imported]) => [room, imported.split(" ").filter(Boolean)]),
);

/**
 * Draws the rooms as Mermaid: those within another are one with it, and an arrow is left out where others lead the same
 * way.
 */
export function pictureOf(table: Record<string, string[]>): string {
  const house = (room: string) => room.replace(/(?<=\/).*/, "");
  const arrows = new Map<string, Set<string>>();
  for (const [room, imported] of Object.entries(table)) {
    const from = house(room);
    const to = imported.filter((name) => name in table).map(house);
    arrows.set(from, new Set([...(arrows.get(from) ?? []), ...to.filter((name) => name !== from)]));
  }
  const reaches = (from: string, to: string): boolean =>
    [...(arrows.get(from) ?? [])].some((next) => next === to || reaches(next, to));
  const lines = [...arrows].flatMap(([from, all]) => {
    const direct = [...all].filter((to) => ![...all].some((other) => reaches(other, to)));
    return direct.length === 0 ? [] : [`  ${from} --> ${direct.join(" & ")}`];
  });
  return ["```mermaid", "flowchart TD", ...lines, "```"].join("\n");
}
