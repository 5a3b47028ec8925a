/**
 * Writes the repository's URL into package.json before `npm publish`, as provenance and the README's links need it. It stays
 * there, because npm sends what package.json says after packing.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { repositoryUrl } from "./repository-url.js";

const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;

const remote = () => spawnSync("git", ["remote", "get-url", "origin"], { encoding: "utf8" }).stdout;

const url = repositoryUrl(
  GITHUB_REPOSITORY === undefined ? remote() : `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`,
);
if (url === undefined) {
  console.error("Expected git's remote `origin` to be the public repository, which the README's links need.");
  process.exit(1);
}
execFileSync("npm", ["pkg", "set", "repository.type=git", `repository.url=${url}`], { stdio: "inherit" });
