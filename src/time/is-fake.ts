/** Whether a test runner fakes this function of the platform: fake timers have a `clock`. */
export function isFake(platform: unknown): boolean {
  return Object.hasOwn(Object(platform), "clock");
}
