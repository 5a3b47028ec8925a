import { createScreenshots } from "../../src/generated/operations.js";
import { parse } from "../../src/schema/parse.js";

/** The credits of an accepted set in the form that the document describes: numbers or strings. */
export function documentedCredits(cost: number, remaining: number) {
  const credits = { cost, remaining };
  const isInNumbers = parse(createScreenshots.answer, { jobId: "job-1", credits }).ok;
  return isInNumbers ? credits : { cost: String(cost), remaining: String(remaining) };
}
