const sdk = require("screenshot-sets");
const mocks = require("screenshot-sets/mock");
const defineLoads = require("./load.cjs");

defineLoads({
  sdk,
  mocks,
  async other() {
    return { sdk: await import("screenshot-sets"), mocks: await import("screenshot-sets/mock") };
  },
  files: {
    document: require("screenshot-sets/openapi.json"),
    manifest: require("screenshot-sets/package.json"),
  },
});
