/** It did not work out this time, and nothing is broken: it is tried again. */
export class RetryableReplayError extends Error {
  override readonly name = 'NotNow';
}

/** It will not work out; whoever asked for it is told why. */
export class PermanentReplayError extends Error {
  override readonly name = 'Hopeless';
}

/** Whoever asked for the replay wants it no more. */
export class ReplayCancelled extends Error {
  override readonly name = 'Cancelled';
}
