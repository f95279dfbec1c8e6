// Small functions of numbers.

/** Moves a value towards a target exponentially, at rate per second. */
export function ease(from: number, to: number, rate: number, dt: number): number {
  return to + (from - to) * Math.exp(-rate * dt);
}

/** Limits a value to −limit … limit. */
export function clamp(value: number, limit: number): number {
  return Math.max(-limit, Math.min(limit, value));
}

/** Wraps an angle to −π … π. */
export function wrapAngle(angle: number): number {
  return Math.atan2(Math.sin(angle), Math.cos(angle));
}
