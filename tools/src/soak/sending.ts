import type { ToldPlay } from './ledger.ts';
import type { SoakNetwork } from './world.ts';

/** A request of a vendor, to be sent until it is answered. */
export interface Sending {
  readonly kind: string;
  readonly network: SoakNetwork;
  /** Behind `/popsvc/v1`. */
  readonly path: string;
  readonly body: unknown;
  /** What of it is to be in the reports, each time it is told. */
  readonly plays: readonly ToldPlay[];
  /** Whether that waits for something else, such as a mapping. */
  readonly later?: boolean;
  readonly idempotencyKey?: string;
  /** In gzip. */
  readonly isPacked?: boolean;
  /** The status that is right; default 202. */
  readonly wanted?: number;
}
