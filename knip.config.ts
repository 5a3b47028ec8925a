import type { KnipConfig } from "knip";
import { entryPoints } from "./scripts/entry-points.js";

const config: KnipConfig = {
  entry: [
    ...Object.values(entryPoints).map((path) => `src/${path}.ts!`),
    "src/wait/polling.ts!",
    "src/cli/main.ts!",
    "test/helpers/batch-worker.ts",
    "test/helpers/chaos-worker.ts",
    "test/helpers/driver-worker.ts",
    "test/helpers/engine-worker.ts",
    "test/helpers/store-worker.ts",
    "test/fake-timers/jest-as-vitest.ts",
    "test/process-exit/wait-and-end.ts",
  ],
  project: ["src/**/*.{ts,tsx}!", "scripts/**/*.ts", "test/**/*.ts", "examples/**/*.ts"],
  ignore: ["test/compat/**", "examples/engines/**"],
  ignoreDependencies: ["jest", "axe-core", "undici6"],
  ignoreIssues: { "src/generated/*": ["exports", "types"], "src/schema/kinds.ts": ["exports"] },
  rules: { binaries: "off" },
  ignoreExportsUsedInFile: true,
};

export default config;
