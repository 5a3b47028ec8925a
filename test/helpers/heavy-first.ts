import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Where the slowest files are, in the order in which they start, so that the last files to start are short. Those of a
 * project come together, as a process serves one project, and the longest that computes runs beside those that wait for
 * processes, so that no core is idle. The last match counts.
 */
const heavy = [
  "/test/generate/",
  "/test/schema/",
  "/test/cli/",
  "/test/package/",
  "/test/durable/engines/",
  "/test/durable/bullmq/",
  "/test/mock/page/browser/",
  "/test/repository/live-example",
];

/** Starts with the slowest files, so that no worker is left alone with one at the end. */
export class HeavyFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = heavy.findLastIndex((folder) => moduleId.includes(folder));
      return index === -1 ? heavy.length : index;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
