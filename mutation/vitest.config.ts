import project, { ownDocument, ownName } from "../vitest.config.js";

/** The tests on the source alone, without types and without what starts processes or compiles: each runs many times. */
export default {
  ...project,
  resolve: { alias: [...ownName, ownDocument.alias] },
  test: {
    ...project.test,
    projects: undefined,
    globalSetup: ownDocument.globalSetup,
    coverage: { enabled: false },
    include: [
      "test/*.test.ts",
      "test/{batch,errors,request,schema,time,wait,mock}/**/*.test.ts",
      "test/durable/*.test.ts",
    ],
    testTimeout: 30_000,
  },
};
