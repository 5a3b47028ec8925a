/** One project that uses the packed package as its users do, with what it installs in `projects/NAME`. */
export interface Project {
  name: string;
  /** What of `suite/` it runs. */
  suite: string[];
  /** The versions of Node that it runs on; the one that runs this, if none is named. */
  nodes?: string[];
  /** The files of a consumer whose types are checked, and by which compilers. */
  types?: TypeCheck;
  /** Borrows these packages of the repository and installs nothing. */
  borrows?: string[];
}

export interface TypeCheck {
  /** What of `suite/` is checked. */
  files: string[];
  /** Whether they are checked under `isolatedDeclarations`, where TypeScript has that. */
  isolated?: boolean;
  /** Where the types of what a platform has come from: TypeScript's own `lib.dom`, `@types/node`, or both. */
  platforms: ("dom" | "node")[];
  /** The versions, from `typescripts/package.json`, with how each looks for the package. */
  typescripts: Partial<Record<TypeScript, Resolution[]>>;
}

/** The repository's own, or one from `typescripts/package.json`. */
export type TypeScript = "installed" | "5.4" | "5.9" | "6.0" | "7.0";

/** TypeScript's `moduleResolution`. */
export type Resolution = "node16" | "nodenext" | "bundler" | "node10";

/** Versions of the npm package `node`: the oldest that is supported, and the newest of each later line. */
const [node20, node22, node24, node26] = ["20.19.0", "22.23.3", "24.21.0", "26.10.0"];
const everyNode = [node20, node22, node24, node26];

const withExports: Resolution[] = ["node16", "nodenext", "bundler"];
const everyResolution: Resolution[] = [...withExports, "node10"];
/** TypeScript 7 has left `node10` out. */
const everyTypeScript = {
  "5.4": everyResolution,
  "5.9": everyResolution,
  "6.0": everyResolution,
  "7.0": withExports,
};

const load = ["load.cjs", "load.test.cjs", "load.test.mjs"];
const loadWithMsw = [...load, "load-msw.cjs", "load-msw.test.cjs", "load-msw.test.mjs"];

const vitest = ["scenarios.cjs", "vitest.test.mjs"];
const webApp = ["plan-set.mjs", "web-app.test.mjs"];
const otherRuntime = [...load, "pay-once.mjs", "other-runtime.test.mjs"];

/** All that `npm run test:compat` goes through. */
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
      typescripts: everyTypeScript,
    },
  },
  {
    name: "msw-2",
    suite: loadWithMsw,
    nodes: everyNode,
    types: {
      files: ["consumer.ts", "consumer-msw.ts", "inferred.ts"],
      platforms: ["dom", "node"],
      typescripts: everyTypeScript,
    },
  },
  {
    name: "msw-3",
    suite: loadWithMsw,
    // msw 3 needs Node 22.12, and its types a TypeScript that has generic arrays of bytes, from 5.9 on.
    nodes: [node22, node24, node26],
    types: {
      files: ["consumer.ts", "consumer-msw.ts"],
      platforms: ["dom", "node"],
      // It has ES modules alone, which `node10` does not find, nor a CommonJS file under `node16` require.
      typescripts: {
        "5.9": ["nodenext", "bundler"],
        "6.0": ["nodenext", "bundler"],
        "7.0": ["nodenext", "bundler"],
      },
    },
  },
  // The entry points that are named after a peer.
  {
    name: "peers",
    suite: [],
    borrows: ["bullmq", "undici", "@types/node"],
    types: { files: ["consumer-peers.ts"], platforms: ["node"], typescripts: everyTypeScript },
  },
  // Each of these peers in its oldest and its newest supported version.
  { name: "bullmq-5.0", suite: ["bullmq.test.mjs"], nodes: [node20] },
  { name: "bullmq-5", suite: ["bullmq.test.mjs"], nodes: [node20] },
  { name: "bullmq-6", suite: ["bullmq.test.mjs"], nodes: [node20] },
  { name: "undici-6", suite: ["undici.test.mjs"], nodes: [node20] },
  { name: "undici-8", suite: ["undici.test.mjs"], nodes: [node24] },
  // The types of the samples in `examples/engines`, with the engines that they are for.
  { name: "engines", suite: [], nodes: [node24] },
  // The same in little, with what `npm ci` has installed: no other Node, no other TypeScript.
  {
    name: "smoke",
    suite: loadWithMsw,
    borrows: ["msw"],
    types: {
      files: ["consumer.ts", "inferred.ts"],
      platforms: ["dom"],
      typescripts: { installed: everyResolution },
    },
  },
  // Test runners, and the pages that they make.
  {
    name: "node-test",
    suite: ["scenarios.cjs", "node-test.test.cjs", "node-test.test.mjs"],
    nodes: everyNode,
  },
  { name: "vitest-4", suite: vitest, nodes: [node20] },
  { name: "vitest-5", suite: vitest, nodes: [node24] },
  { name: "vitest-jsdom", suite: vitest, nodes: [node20] },
  { name: "vitest-happy-dom", suite: vitest, nodes: [node20] },
  { name: "jest", suite: ["scenarios.cjs", "jest.test.cjs", "jest.test.mjs"], nodes: [node20] },
  { name: "jest-fixed-jsdom", suite: ["scenarios.cjs", "jest.test.cjs"], nodes: [node20] },
  { name: "jest-jsdom", suite: [], nodes: [node20] },
  // Frameworks of web servers.
  { name: "express", suite: webApp, nodes: [node20] },
  { name: "fastify", suite: webApp, nodes: [node20] },
  { name: "nest", suite: webApp, nodes: [node20] },
  { name: "next", suite: webApp, nodes: [node20] },
  { name: "vite-ssr", suite: webApp, nodes: [node20] },
  // Where it is bundled, or runs on something else than Node.
  { name: "lambda", suite: ["plan-set.mjs"], nodes: [node20] },
  { name: "bun", suite: otherRuntime, nodes: [node20] },
  { name: "deno", suite: otherRuntime, nodes: [node20] },
  { name: "workerd", suite: [], nodes: [node24] },
];
