import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Where the slowest files are, in the order in which they start, so that the last files to start are short. Those that
 * wait for processes and servers come beside those that compute, so that no core is idle. The last match counts.
 */
const heavy = [
  "/test/generate/",
  "/test/schema/",
  "/test/generate/reformed",
  "/test/cli/",
  "/test/package/",
  "/test/durable/bullmq/",
  "/test/mock/page/browser/",
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
