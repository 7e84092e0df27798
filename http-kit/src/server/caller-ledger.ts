import { ApiError } from '@popsvc/contracts/errors';
import type { Principal } from '../auth/access.ts';

/** Returns the key that identifies a caller in limits and logs. It contains no secret. */
export const callerKey = (principal: Principal | undefined): string => {
  if (principal?.kind === 'api-key') return `key ${principal.keyId}`;
  return principal?.kind === 'client' ? `client ${principal.clientId}` : 'operator';
};

/** Maximum amounts that one caller, and all callers together, may hold at a time. */
export interface LedgerLimits {
  readonly perCaller: number;
  readonly total: number;
}

interface LedgerOptions extends LedgerLimits {
  /** Messages of the errors that `take` throws at the limit of a caller and at the limit of all callers. */
  readonly messages: { readonly perCaller: string; readonly total: string };
  readonly retryAfterSeconds?: number;
}

/** Limits what callers hold at a time, for each caller and in total: bytes in memory, or pieces of work. */
export class CallerLedger {
  readonly #options: LedgerOptions;
  readonly #byCaller = new Map<string, number>();
  #held = 0;

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  /**
   * Counts `amount` as held. Throws RATE_LIMITED if the caller would hold too much, UNAVAILABLE if all callers together would.
   * Without `caller`, only the total is limited.
   */
  take(amount: number, caller?: string): void {
    const { perCaller, total, messages, retryAfterSeconds } = this.#options;
    const own = caller === undefined ? 0 : (this.#byCaller.get(caller) ?? 0) + amount;
    if (own > perCaller) throw new ApiError('RATE_LIMITED', messages.perCaller, { retryAfterSeconds });
    if (this.#held + amount > total) throw new ApiError('UNAVAILABLE', messages.total, { retryAfterSeconds });
    this.#held += amount;
    if (caller !== undefined) this.#byCaller.set(caller, own);
  }

  giveBack(amount: number, caller?: string): void {
    this.#held -= amount;
    if (caller === undefined) return;
    const rest = (this.#byCaller.get(caller) ?? 0) - amount;
    if (rest > 0) this.#byCaller.set(caller, rest);
    else this.#byCaller.delete(caller);
  }
}

/** Takes a slot for a caller; throws what `CallerLedger.take` throws. The returned function releases the slot once. */
export type AcquireSlot = (caller: string) => () => void;

/** Limits how many pieces of work run at a time. `work` names them in messages, such as `downloads`. */
export const createCallerSlots = (limits: LedgerLimits, work: string): AcquireSlot => {
  const ledger = new CallerLedger({
    ...limits,
    messages: {
      perCaller: `At most ${limits.perCaller} ${work} are allowed at a time.`,
      total: `Too many ${work} are running. Retry later.`,
    },
    retryAfterSeconds: 5,
  });
  return (caller) => {
    ledger.take(1, caller);
    let isReleased = false;
    return () => {
      if (!isReleased) ledger.giveBack(1, caller);
      isReleased = true;
    };
  };
};
