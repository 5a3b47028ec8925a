/** What runs the commands of packages, by the name that each package manager has in its user agent. */
const runners: Record<string, string> = { npm: "npx", pnpm: "pnpm exec", yarn: "yarn", bun: "bunx" };

/** The words before the arguments of this command, as whoever started it would type them again. */
export function typedName(): string {
  const name = "screenshot-sets";
  const { npm_config_user_agent: agent = "", npm_lifecycle_script: script = name } = process.env;
  const manager = agent.split("/")[0] as string;
  // Another script, such as one that runs tests, hands the variables on to what it starts.
  if (!Object.hasOwn(runners, manager) || !script.includes(name)) return name;
  // Where pnpm and yarn install what `dlx` runs.
  const isFetched = /[\\/](pnpm[\\/]dlx|dlx-\d+)[\\/]/.test(process.argv[1] ?? "");
  return `${isFetched ? `${manager} dlx` : runners[manager]} ${name}`;
}
