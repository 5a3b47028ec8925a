/**
 * What is mutated when nothing else is named: the files where a mistake costs money or never ends.
 * `npm run test:mutation -- --mutate src/request/retry.ts` takes one of them.
 *
 * @type {import("@stryker-mutator/api/core").PartialStrykerOptions}
 */
export default {
  mutate: [
    "src/request/{send,retry,reach,attempt,answer,rate-limit}.ts",
    "src/wait/{waits,poller,poll-delay}.ts",
    "src/durable/{step,take-step,create-step,look-step,save-state,recorded-create,step-set,set-state,set-store,set-record,save-acceptance,retry-until-stored}.ts",
    "src/batch/{run-batch,set-run,creates,budget,file-store,file-lock,journal,journal-lines,key-history}.ts",
    "src/errors/errors.ts",
    "src/mock/engine/{engine,faults}.ts",
    "src/mock/service/{account,job-progress,job-plan,job-store,ledger,service}.ts",
  ],
  plugins: ["@stryker-mutator/vitest-runner"],
  testRunner: "vitest",
  vitest: { configFile: "mutation/vitest.config.ts", related: true },
  coverageAnalysis: "perTest",
  concurrency: 2,
  timeoutMS: 20_000,
  ignorePatterns: ["bench/node_modules", "dist", "reference", "coverage", "mutation/node_modules"],
  tempDirName: "mutation/.work",
  reporters: ["clear-text", "progress-append-only", "html", "json"],
  htmlReporter: { fileName: "mutation/report/index.html" },
  jsonReporter: { fileName: "mutation/report/report.json" },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  thresholds: { high: 95, low: 90, break: 90 },
};
