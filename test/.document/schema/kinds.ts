export * from "../../../src/schema/kinds.js";
