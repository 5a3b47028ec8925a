import { setupServer } from "msw/node";
import * as sdk from "screenshot-sets";
import * as mocks from "screenshot-sets/mock";
import * as adapter from "screenshot-sets/mock/msw";
import defineLoadsWithMsw from "./load-msw.cjs";

defineLoadsWithMsw({ sdk, mocks, adapter, setupServer });
