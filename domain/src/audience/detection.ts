import type { Population } from '@popsvc/contracts/vocabulary';
import type { Span } from '../spans/index.ts';

/** A person (or vehicle) in front of a device, and when it looked; milliseconds since 1970. */
export interface Detection extends Span {
  readonly watches: readonly Span[];
  readonly population: Population;
}
