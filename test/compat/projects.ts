/** One project that uses the packed package as its users do, with what it installs in `projects/NAME`. */
export interface Project {
  name: string;
  /** What of `suite/` it runs. */
  suite?: string[];
  /** The versions of Node that it runs on, if not the oldest; where it borrows, the one that runs this. */
  nodes?: string[];
  /** The files of a consumer whose types are checked, and by which compilers. */
  types?: TypeCheck;
  /** Borrows these packages of the repository and installs nothing. */
  borrows?: string[];
  /** Its row in `docs/runtimes.md`: what the package runs in, with versions as `{PACKAGE}`, and what is tried. */
  row?: [where: string, tried: string];
}

export interface TypeCheck {
  /** What of `suite/` is checked. */
  files: string[];
  /** Whether they are checked under `isolatedDeclarations`, where TypeScript has that. */
  isolated?: boolean;
  /** Where the types of what a platform has come from: TypeScript's own `lib.dom`, `@types/node`, or both. */
  platforms: ("dom" | "node")[];
  /** The versions, from `typescripts/package.json`, with how each looks for the package. */
  by: Partial<Record<TypeScript, Resolution[]>>;
}

/** The repository's own, or one from `typescripts/package.json`. */
export type TypeScript = "installed" | "5.4" | "5.9" | "6.0" | "7.0";

/** TypeScript's `moduleResolution`. */
export type Resolution = "node16" | "nodenext" | "bundler" | "node10";

/** Versions of the npm package `node`: the oldest that is supported, and the newest of each later line. */
const [node20, node22, node24, node26] = ["20.19.0", "22.23.3", "24.21.0", "26.10.0"];
const everyNode = [node20, node22, node24, node26];

const everyResolution: Resolution[] = ["node16", "nodenext", "bundler", "node10"];
/** TypeScript 7 has left `node10` out. */
const everyTypeScript: TypeCheck["by"] = {
  "5.4": everyResolution,
  "5.9": everyResolution,
  "6.0": everyResolution,
  "7.0": ["node16", "nodenext", "bundler"],
};
/** msw 3 has ES modules alone, which `node10` does not find, nor a CommonJS file under `node16` require. */
const withModules: Resolution[] = ["nodenext", "bundler"];

const consumers = ["consumer.ts", "consumer-msw.ts"];
const load = ["load.cjs", "load.test.cjs", "load.test.mjs"];
const loadWithMsw = [...load, "load-msw.cjs", "load-msw.test.cjs", "load-msw.test.mjs"];
const vitest = ["scenarios.cjs", "vitest.test.mjs"];
const webApp = ["plan-set.mjs", "web-app.test.mjs"];
const otherRuntime = [...load, "pay-once.mjs", "other-runtime.test.mjs"];
const bullmq = ["bullmq.test.mjs"];
const undici = ["undici.test.mjs"];

const runner = "real and fake timers, the mock in memory, over HTTP and through msw";
const routes = "routes, twenty requests at once, lost answers, used-up credits";
const queue = "a set from step to step, a stale write, a 429, a lost answer and a retry, on a real Redis";
const runtime =
  "ES modules and CommonJS, the mock over HTTP, seven ways to lose a create's answer, as the first call and after another";
const dispatcher = "its installation beside the package; calls, waits and errors through `undiciFetch`";

/** All that `npm run test:compat` goes through, in the order of the rows. */
export const projects: Project[] = [
  // Every Node × ES modules and CommonJS × no msw, msw 2 and 3; every TypeScript × every way to resolve a module.
  {
    name: "without-msw",
    suite: load,
    nodes: everyNode,
    types: {
      files: ["consumer.ts", "portable.ts"],
      isolated: true,
      platforms: ["node"],
      by: everyTypeScript,
    },
  },
  {
    name: "msw-2",
    suite: loadWithMsw,
    nodes: everyNode,
    types: { files: [...consumers, "inferred.ts"], platforms: ["dom", "node"], by: everyTypeScript },
  },
  {
    name: "msw-3",
    suite: loadWithMsw,
    // msw 3 needs Node 22.12, and its types a TypeScript that has generic arrays of bytes, from 5.9 on.
    nodes: [node22, node24, node26],
    types: {
      files: consumers,
      platforms: ["dom", "node"],
      by: { "5.9": withModules, "6.0": withModules, "7.0": withModules },
    },
  },
  // The entry points that are named after a peer.
  {
    name: "peers",
    borrows: ["bullmq", "undici", "@types/node"],
    types: { files: ["consumer-peers.ts"], platforms: ["node"], by: everyTypeScript },
  },
  // The same in little, with what `npm ci` has installed: no other Node, no other TypeScript.
  {
    name: "smoke",
    suite: loadWithMsw,
    borrows: ["msw"],
    types: {
      files: ["consumer.ts", "inferred.ts"],
      platforms: ["dom"],
      by: { installed: everyResolution },
    },
  },
  // Test runners, and the pages that they make.
  {
    name: "node-test",
    suite: ["scenarios.cjs", "node-test.test.cjs", "node-test.test.mjs"],
    nodes: everyNode,
    row: ["Node.js", `ES modules and CommonJS, ${runner}`],
  },
  { name: "vitest-4", suite: vitest, row: ["Vitest ({vitest})", runner] },
  { name: "vitest-5", suite: vitest, nodes: [node24], row: ["Vitest ({vitest})", runner] },
  { name: "vitest-jsdom", suite: vitest, row: ["Vitest with jsdom ({vitest}, jsdom {jsdom})", runner] },
  {
    name: "vitest-happy-dom",
    suite: vitest,
    row: ["Vitest with happy-dom ({vitest}, happy-dom {happy-dom})", runner],
  },
  {
    name: "jest",
    suite: ["scenarios.cjs", "jest.test.cjs", "jest.test.mjs"],
    row: ["Jest ({jest})", `${runner}; in CommonJS without msw`],
  },
  {
    name: "jest-fixed-jsdom",
    suite: ["scenarios.cjs", "jest.test.cjs"],
    row: [
      "Jest with jest-fixed-jsdom ({jest}, jest-fixed-jsdom {jest-fixed-jsdom})",
      "real and fake timers, the mock in memory and over HTTP",
    ],
  },
  {
    name: "jest-jsdom",
    row: [
      "Jest with jsdom ({jest}, jest-environment-jsdom {jest-environment-jsdom})",
      "calls are refused with an error that names what jsdom hides",
    ],
  },
  // Frameworks of web servers.
  { name: "express", suite: webApp, row: ["Express ({express})", routes] },
  { name: "fastify", suite: webApp, row: ["Fastify ({fastify})", routes] },
  { name: "nest", suite: webApp, row: ["Nest ({@nestjs/core})", routes] },
  {
    name: "next",
    suite: webApp,
    row: [
      "Next.js ({next})",
      `the build, with Cache Components too; ${routes}, in the edge runtime too; pages; a server action; the mock in a route`,
    ],
  },
  { name: "vite-ssr", suite: webApp, row: ["Vite SSR ({vite})", `in development and bundled: ${routes}`] },
  {
    name: "lambda",
    suite: ["plan-set.mjs"],
    row: [
      "Handlers of AWS Lambda, bundled by esbuild ({esbuild})",
      "ES modules and CommonJS, a cold and a warm start, with nothing installed",
    ],
  },
  // What takes a Standard Schema or a JSON Schema, with the lines of `docs/faq.md`.
  {
    name: "forms",
    row: [
      "`screenshot-sets/schema` in Nest's `StandardSchemaValidationPipe` ({@nestjs/common}), react-hook-form ({react-hook-form}, @hookform/resolvers {@hookform/resolvers}), Hono ({hono}, @hono/standard-validator {@hono/standard-validator}) and tRPC ({@trpc/server}); `openapi.json` in tools of the AI SDK ({ai}) and of an MCP server ({@modelcontextprotocol/server})",
      "their types; a wrong value is refused, and only what is documented is handed on",
    ],
  },
  // Peers in their oldest and their newest supported version, and the samples in `examples/engines`.
  { name: "bullmq-5.0", suite: bullmq, row: ["BullMQ ({bullmq})", queue] },
  { name: "bullmq-5", suite: bullmq, row: ["BullMQ ({bullmq})", queue] },
  { name: "bullmq-6", suite: bullmq, row: ["BullMQ ({bullmq})", queue] },
  {
    name: "engines",
    nodes: [node24],
    row: [
      "The samples for other engines (pg-boss {pg-boss} and {pg-boss-10}, @dbos-inc/dbos-sdk {@dbos-inc/dbos-sdk}, graphile-worker {graphile-worker}, pg {pg}, postgres {postgres}, @temporalio/workflow {@temporalio/workflow}, inngest {inngest}, @workflow/core {@workflow/core}, @aws-sdk/client-sqs {@aws-sdk/client-sqs}, @nestjs/bullmq {@nestjs/bullmq})",
      "their types, and Temporal's workflow bundled; those on PostgreSQL run in tests that kill them",
    ],
  },
  { name: "undici-6", suite: undici, row: ["undici ({undici})", dispatcher] },
  { name: "undici-8", suite: undici, nodes: [node24], row: ["undici ({undici})", dispatcher] },
  // Other runtimes than Node.
  // The older ones send a POST again by themselves after a reset.
  { name: "bun-1.2", suite: otherRuntime, row: ["Bun ({bun})", runtime] },
  { name: "bun-1.3", suite: otherRuntime, row: ["Bun ({bun})", runtime] },
  { name: "bun", suite: otherRuntime, row: ["Bun ({bun})", runtime] },
  { name: "deno", suite: otherRuntime, row: ["Deno ({deno})", runtime] },
  {
    name: "workerd",
    nodes: [node24],
    row: [
      "Cloudflare Workers ({workerd})",
      "compatibility dates of 2024 and 2026; a client for each request, and one for all; a lost answer; the mock in a worker",
    ],
  },
];

/** The versions of Node that a project runs on. */
export const nodesOf = ({ nodes, borrows }: Project) =>
  nodes ?? (borrows ? [process.version.slice(1)] : [node20]);
