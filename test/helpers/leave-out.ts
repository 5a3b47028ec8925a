import type { TestProject } from "vitest/node";

/** Says that the tests of a project are left out, and why. Where services are required, it throws that. */
export function leaveOut({ name }: TestProject, why: string): void {
  if (process.env.REQUIRE_SERVICES) throw new Error(`The tests of ${name} cannot run: ${why}.`);
  process.stdout.write(`Left out the tests of ${name}: ${why}.\n`);
}
