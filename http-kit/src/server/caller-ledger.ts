import { ApiError } from '@popsvc/contracts/errors';
import type { Principal } from '../auth/access.ts';

/** Identifies a caller in limits; contains no secret. All operators share one key. */
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
  readonly messages: { readonly perCaller: string; readonly total: string };
  readonly retryAfterSeconds?: number;
}

export class CallerLedger {
  readonly #options: LedgerOptions;
  readonly #byCaller = new Map<string, number>();
  #held = 0;

  constructor(options: LedgerOptions) {
    this.#options = options;
  }

  /**
   * Throws RATE_LIMITED if the caller would hold too much, UNAVAILABLE if all callers together would. Without `caller`, only the total is
   * limited.
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

/** Throws what `CallerLedger.take` throws. The returned function releases the slot. */
export type AcquireSlot = (caller: string) => () => void;

/** Limits concurrent work. `work`: name of the work in messages, such as `downloads`. */
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
