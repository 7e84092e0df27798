import type { LeaseKey, LeaseStore } from './leases.ts';

const standardTtlMs = 15_000;
/** No statement is begun in the last fifth of a lease that could not be renewed. */
const margin = 0.2;

export interface HeldLease {
  readonly epoch: bigint;
  /** By this process's monotonic clock, and with a margin: PostgreSQL's clock decides who is next. */
  isHeld(): boolean;
  release(): Promise<void>;
  /** Gives it back for good: what it was for is over. */
  remove(): Promise<void>;
}

/** Takes a lease and keeps renewing it; undefined while somebody else holds it. */
export const holdLease = async (
  leases: LeaseStore,
  key: LeaseKey,
  owner: string,
  ttlMs = standardTtlMs,
): Promise<HeldLease | undefined> => {
  const safeMs = ttlMs * (1 - margin);
  let askedAt = performance.now();
  const epoch = await leases.acquire(key, owner, ttlMs);
  if (epoch === undefined) return undefined;
  let heldUntil = askedAt + safeMs;
  const renew = async () => {
    askedAt = performance.now();
    const asked = askedAt;
    const held = await leases.renew(key, epoch, ttlMs).catch(() => undefined);
    if (held === true) heldUntil = asked + safeMs;
    if (held === false) heldUntil = 0;
  };
  const timer = setInterval(() => void renew(), ttlMs / 3);
  return {
    epoch,
    isHeld: () => performance.now() < heldUntil,
    async release() {
      clearInterval(timer);
      await leases.release(key, epoch).catch(() => undefined);
    },
    async remove() {
      clearInterval(timer);
      await leases.remove(key, epoch).catch(() => undefined);
    },
  };
};
