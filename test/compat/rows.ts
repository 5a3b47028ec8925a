/** What `docs/runtimes.md` says of a project. */
export interface Row {
  /** The project. */
  of: string;
  /** What the package runs in, and the packages of that, whose versions are shown. */
  where: string;
  packages?: string[];
  /** What is tried there. */
  tried: string;
}

const runner = "real and fake timers, the mock in memory, over HTTP and through msw";
const routes = "routes, twenty requests at once, lost answers, used-up credits";
const runtime =
  "ES modules and CommonJS, the mock over HTTP, seven ways to lose a create's answer, on new and kept connections";

export const rows: Row[] = [
  { of: "node-test", where: "Node.js", tried: `ES modules and CommonJS, ${runner}` },
  { of: "vitest-4", where: "Vitest", packages: ["vitest"], tried: runner },
  { of: "vitest-5", where: "Vitest", packages: ["vitest"], tried: runner },
  { of: "vitest-jsdom", where: "Vitest with jsdom", packages: ["vitest", "jsdom"], tried: runner },
  {
    of: "vitest-happy-dom",
    where: "Vitest with happy-dom",
    packages: ["vitest", "happy-dom"],
    tried: runner,
  },
  { of: "jest", where: "Jest", packages: ["jest"], tried: `${runner}; in CommonJS without msw` },
  {
    of: "jest-fixed-jsdom",
    where: "Jest with jest-fixed-jsdom",
    packages: ["jest", "jest-fixed-jsdom"],
    tried: "real and fake timers, the mock in memory and over HTTP",
  },
  {
    of: "jest-jsdom",
    where: "Jest with jsdom",
    packages: ["jest", "jest-environment-jsdom"],
    tried: "calls are refused with an error that names what jsdom hides",
  },
  { of: "express", where: "Express", packages: ["express"], tried: routes },
  { of: "fastify", where: "Fastify", packages: ["fastify"], tried: routes },
  { of: "nest", where: "Nest", packages: ["@nestjs/core"], tried: routes },
  {
    of: "next",
    where: "Next.js",
    packages: ["next"],
    tried: `the build, with Cache Components too; ${routes}, in the edge runtime too; pages; a server action; the mock in a route`,
  },
  { of: "vite-ssr", where: "Vite SSR", packages: ["vite"], tried: `in development and bundled: ${routes}` },
  {
    of: "lambda",
    where: "Handlers of AWS Lambda, bundled",
    packages: ["esbuild"],
    tried: "ES modules and CommonJS, a cold and a warm start, with nothing installed",
  },
  ...["bullmq-5.0", "bullmq-5", "bullmq-6"].map((of) => ({
    of,
    where: "BullMQ",
    packages: ["bullmq"],
    tried: "a set from step to step, a stale write, a 429, a lost answer and a retry, on a real Redis",
  })),
  {
    of: "engines",
    where: "The samples for other engines",
    packages: ["pg-boss", "postgres", "@temporalio/workflow", "@nestjs/bullmq"],
    tried: "their types",
  },
  ...["undici-6", "undici-8"].map((of) => ({
    of,
    where: "undici",
    packages: ["undici"],
    tried: "its installation beside the package; calls, waits and errors through `undiciFetch`",
  })),
  { of: "bun", where: "Bun", packages: ["bun"], tried: runtime },
  { of: "deno", where: "Deno", packages: ["deno"], tried: runtime },
  {
    of: "workerd",
    where: "Cloudflare Workers",
    packages: ["workerd"],
    tried:
      "compatibility dates of 2024 and 2026; a client for each request, and one for all; a lost answer; the mock in a worker",
  },
];
