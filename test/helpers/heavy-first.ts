import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Where the slowest files are, slowest first, so that the last files to start are short. */
const heavy = [
  "/test/generate/",
  "/test/package/",
  "/test/cli/",
  "/test/mock/page/browser/",
  "/test/repository/",
  "/test/request/busy-loop",
];

/** Starts with the slowest files, so that no worker is left alone with one at the end. */
export class HeavyFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = heavy.findIndex((folder) => moduleId.includes(folder));
      return index === -1 ? heavy.length : index;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
