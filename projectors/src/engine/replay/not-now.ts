/** It did not work out this time, and nothing is broken: it is tried again. */
export class NotNow extends Error {
  override readonly name = 'NotNow';
}

/** It will not work out; whoever asked for it is told why. */
export class Hopeless extends Error {
  override readonly name = 'Hopeless';
}
