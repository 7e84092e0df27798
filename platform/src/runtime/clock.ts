/** Milliseconds since 1970. A part of whatever must know the time, so that a test can hold it still. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
