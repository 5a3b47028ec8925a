import { createRequire } from "node:module";
import * as sdk from "screenshot-sets";
import * as mocks from "screenshot-sets/mock";
import document from "screenshot-sets/openapi.json" with { type: "json" };
import manifest from "screenshot-sets/package.json" with { type: "json" };
import defineLoads from "./load.cjs";

const require = createRequire(import.meta.url);

defineLoads({
  sdk,
  mocks,
  other: async () => ({ sdk: require("screenshot-sets"), mocks: require("screenshot-sets/mock") }),
  files: { document, manifest },
});
