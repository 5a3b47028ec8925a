/** Whether a runner fakes this function of the platform's: fake timers carry their clock. */
export function isFake(platform: unknown): boolean {
  return Object.hasOwn(Object(platform), "clock");
}
