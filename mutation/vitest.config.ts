import project, { ownDocument, ownName } from "../vitest.config.js";

/**
 * The tests on the source alone, without types and without what starts processes or compiles: each runs many times. Those
 * of the store in PostgreSQL need the engines that `npm run test:compat -- engines` installs.
 */
export default {
  ...project,
  resolve: { alias: [...ownName, ownDocument.alias] },
  test: {
    ...project.test,
    projects: undefined,
    globalSetup: [ownDocument.globalSetup, "test/helpers/postgres.ts"],
    coverage: { enabled: false },
    include: [
      "test/*.test.ts",
      "test/{batch,errors,request,schema,time,wait,mock}/**/*.test.ts",
      "test/durable/*.test.ts",
      "test/durable/engines/postgres-store.test.ts",
    ],
    testNamePattern: /^(?!.* sets on four processes)/,
    testTimeout: 30_000,
  },
};
