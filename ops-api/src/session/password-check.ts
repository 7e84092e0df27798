import { isPassword, type SessionAccount } from '@popsvc/http-kit/auth';
import { clientAddressKey, createAttemptLimiter, createCallerSlots } from '@popsvc/http-kit/server';
import { findAccount, type Postgres } from '@popsvc/platform/postgres';

const accountRate = { perSecond: 10 / 60, burst: 10 };
const addressRate = { perSecond: 30 / 60, burst: 30 };
/** Each comparison of a password needs 32 MiB of memory. `perCaller` applies to an address. */
const slotLimits = { perCaller: 2, total: 4 };

/** Throws RATE_LIMITED for too many attempts with an account or from an address, and UNAVAILABLE if too many of all addresses run. */
export type CheckPassword = (
  name: string,
  password: string,
  remoteAddress: string,
) => Promise<SessionAccount | undefined>;

/**
 * The limits count valid attempts, too. If they counted only wrong ones, every password would have to be compared before an attempt
 * could be refused.
 */
export const createPasswordCheck = (postgres: Postgres): CheckPassword => {
  const ofAddress = createAttemptLimiter({ rate: addressRate, message: 'Too many sign-ins from this address.' });
  const ofAccount = createAttemptLimiter({ rate: accountRate, message: 'Too many sign-ins with this account.' });
  const acquireSlot = createCallerSlots(slotLimits, 'sign-ins');
  return async (name, password, remoteAddress) => {
    const address = clientAddressKey(remoteAddress);
    ofAddress.count(address);
    ofAccount.count(name);
    const releaseSlot = acquireSlot(address);
    try {
      const account = await findAccount(postgres, name);
      const isValid = await isPassword(password, account?.passwordHash);
      return account && isValid ? { name, role: account.role, version: account.version } : undefined;
    } finally {
      releaseSlot();
    }
  };
};
