import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Folders whose files take the longest, the longest first: what begins last should be short. */
const heavy = ["/test/generate/", "/test/package/", "/test/cli/", "/test/repository/"];

/** Begins with the files that take the longest, so that no worker is left alone with one at the end. */
export class HeavyFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const index = heavy.findIndex((folder) => moduleId.includes(folder));
      return index === -1 ? heavy.length : index;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
