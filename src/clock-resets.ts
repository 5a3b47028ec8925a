/**
 * What a mock's clock counts its resets under. Times of before a reset mean nothing after it, and who slept then never
 * wakes. In the global registry, as each entry point has a copy of this file.
 */
export const clockResets: unique symbol = Symbol.for("screenshot-sets.clock-resets");
