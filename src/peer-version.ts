/**
 * What to say of an optional peer that is older than this package works with, since npm installs any version of it.
 * Undefined for one that is new enough, and where its version cannot be told, as in a bundle.
 *
 * @param least the oldest major version that works
 */
export function outdatedPeer(name: string, least: number): string | undefined {
  let version: string;
  try {
    const { createRequire } = process.getBuiltinModule("node:module");
    ({ version } = createRequire(`${import.meta.dirname}/`)(`${name}/package.json`));
  } catch {
    return undefined;
  }
  if (Number.parseInt(version, 10) >= least) return undefined;
  return `Expected ${name} ${least} or later, found ${version}. Please update it: npm install ${name}@latest.`;
}
