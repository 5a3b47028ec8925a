const { setupServer } = require("msw/node");
const sdk = require("screenshot-sets");
const mocks = require("screenshot-sets/mock");
const adapter = require("screenshot-sets/mock/msw");
const defineLoadsWithMsw = require("./load-msw.cjs");

defineLoadsWithMsw({ sdk, mocks, adapter, setupServer });
