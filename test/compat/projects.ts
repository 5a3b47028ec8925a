/** One project that uses the packed package as its users do, with what it installs in `projects/NAME`. */
export interface Project {
  name: string;
  /** What of `suite/` it runs. */
  suite: string[];
  /** The versions of Node that it runs on; the one that runs this, if none is named. */
  nodes?: string[];
}

/** Versions of the npm package `node`. */
const node24 = "24.21.0";

/** All that `npm run test:compat` goes through. */
export const projects: Project[] = [
  { name: "vitest-4", suite: ["scenarios.cjs", "vitest.test.mjs"] },
  { name: "vitest-5", suite: ["scenarios.cjs", "vitest.test.mjs"], nodes: [node24] },
  { name: "jest", suite: ["scenarios.cjs", "jest.test.cjs", "jest.test.mjs"] },
  { name: "node-test", suite: ["scenarios.cjs", "node-test.test.cjs", "node-test.test.mjs"] },
  { name: "generated-clients", suite: [], nodes: [node24] },
  { name: "prism", suite: [], nodes: [node24] },
];
