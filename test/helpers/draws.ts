/** How many of something a test draws at random: all of them where `ALL_DRAWS=1`, as in `.ci/run`, else a sixth. */
export function draws(all: number): number {
  return process.env.ALL_DRAWS ? all : Math.ceil(all / 6);
}
