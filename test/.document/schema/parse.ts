export * from "../../../src/schema/parse.js";
