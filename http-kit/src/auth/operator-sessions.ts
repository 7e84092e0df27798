import { createHmac, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ApiError } from '@popsvc/contracts/errors';
import { OPERATOR_ROLES } from '@popsvc/contracts/vocabulary';
import { z } from 'zod';
import type { Secret } from '@popsvc/platform/config';
import { type Clock, systemClock } from '@popsvc/platform/runtime';
import { ExpiredCredential, type OperatorPrincipal, type VerifyCredential } from './access.ts';
import type { AccountWatch } from './account-watch.ts';
import type { EndedSessions } from './ended-sessions.ts';

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Compares hashes, because `timingSafeEqual` needs equal lengths and the response time must not reveal the length of the token. */
const isOperatorToken = (token: Secret): ((presented: string) => boolean) => {
  const expected = sha256(token.reveal());
  return (presented) => timingSafeEqual(expected, sha256(presented));
};

export const operatorVerifier = (token: Secret | undefined): VerifyCredential => {
  const isToken = token && isOperatorToken(token);
  return (presented) => Promise.resolve(isToken?.(presented) ? { kind: 'operator', role: 'admin' } : undefined);
};

const SessionAccount = z.object({
  name: z.string(),
  role: z.enum(OPERATOR_ROLES),
  /** Absent for an account of an OpenID provider. */
  version: z.string().optional(),
});
export type SessionAccount = z.output<typeof SessionAccount>;

export interface OperatorSession {
  readonly value: string;
  readonly expiresAtMs: number;
}

interface FoundSession {
  readonly expiresAtMs: number;
  /** Undefined if the session was opened with the operator token. */
  readonly account: SessionAccount | undefined;
}

/** The session cookie holds a signed value, so the service stores only ended sessions. A new operator token ends all sessions. */
export interface OperatorSessions {
  open(token: string): OperatorSession | undefined;
  /** The caller must have checked the credentials of the account. */
  openFor(account: SessionAccount, durationMs?: number): OperatorSession;
  /** Returns undefined if the session is invalid or has ended, or its local account has changed. Reads accounts from memory. */
  find(value: string): FoundSession | undefined;
  /**
   * Like `find`, but reads the account from PostgreSQL if the version in memory differs. Throws UNAVAILABLE if PostgreSQL does not answer.
   */
  confirm(value: string): Promise<FoundSession | undefined>;
  /**
   * Throws FORBIDDEN_ORIGIN unless a page of the console sends the request. A comparison of `Origin` with `Host` would not suffice: an
   * attacker with DNS rebinding chooses `Host`.
   */
  requireOwnPage(header: HeaderOf): void;
  end(value: string): Promise<void>;
}

export interface OperatorSessionsOptions {
  /** If undefined, `end` has no effect. */
  readonly ended?: Pick<EndedSessions, 'has' | 'add'>;
  /** If undefined, no session of a local account is valid. */
  readonly accounts?: Pick<AccountWatch, 'isCurrent' | 'confirm'> | undefined;
  /** Needed if the console is on another machine without TLS, because browsers then do not send `Sec-Fetch-Site`. */
  readonly consoleOrigins?: readonly string[] | undefined;
  readonly clock?: Clock;
}

type HeaderOf = (name: string) => string | undefined;

export const sessionDurationMs = 12 * 3_600_000;

/** `{expiry}.{id}.{signature}` or `{expiry}.{id}.{account}.{signature}`. Expiry: ms since 1970. Account: JSON in base64url. */
const sessionFormat = /^((\d{13})\.([A-Za-z0-9_-]{22})(?:\.([A-Za-z0-9_-]{1,1000}))?)\.([A-Za-z0-9_-]{43})$/;

const encodeAccount = (account: SessionAccount): string => Buffer.from(JSON.stringify(account)).toString('base64url');
const decodeAccount = (text: string): SessionAccount =>
  SessionAccount.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));

export const createOperatorSessions = (
  token: Secret,
  { ended, accounts, consoleOrigins = [], clock = systemClock }: OperatorSessionsOptions = {},
): OperatorSessions => {
  const isToken = isOperatorToken(token);
  const key = Buffer.from(hkdfSync('sha256', token.reveal(), '', 'popsvc operator sessions', 32));
  const sign = (text: string): Buffer => createHmac('sha256', key).update(text).digest();

  const openSession = (durationMs: number, account?: SessionAccount): OperatorSession => {
    const untilMs = clock.now() + durationMs;
    const parts = [untilMs, randomBytes(16).toString('base64url'), ...(account ? [encodeAccount(account)] : [])];
    const text = parts.join('.');
    return { value: `${text}.${sign(text).toString('base64url')}`, expiresAtMs: untilMs };
  };

  const readSigned = (value: string): (FoundSession & { readonly id: string }) | undefined => {
    const [, text = '', until = '', id = '', account, signature = ''] = sessionFormat.exec(value) ?? [];
    const presented = Buffer.from(signature, 'base64url');
    const expected = sign(text);
    if (presented.length !== expected.length || !timingSafeEqual(presented, expected)) return undefined;
    if (Number(until) <= clock.now() || ended?.has(id) === true) return undefined;
    return {
      id,
      expiresAtMs: Number(until),
      account: account === undefined ? undefined : decodeAccount(account),
    };
  };
  const find = (value: string) => {
    const session = readSigned(value);
    const { name, version } = session?.account ?? {};
    if (name === undefined || version === undefined) return session;
    return accounts?.isCurrent(name, version) === true ? session : undefined;
  };

  return {
    open: (presented) => (isToken(presented) ? openSession(sessionDurationMs) : undefined),
    openFor: (account, durationMs = sessionDurationMs) => openSession(durationMs, account),
    find,
    async confirm(value) {
      const session = readSigned(value);
      const { name, version } = session?.account ?? {};
      if (name === undefined || version === undefined) return session;
      return (await accounts?.confirm(name, version)) === true ? session : undefined;
    },
    requireOwnPage(header) {
      if (header('sec-fetch-site') === 'same-origin' || consoleOrigins.includes(header('origin') ?? '')) return;
      throw new ApiError('FORBIDDEN_ORIGIN');
    },
    async end(value) {
      const session = readSigned(value);
      if (session) await ended?.add(session.id, session.expiresAtMs);
    },
  };
};

export const sessionCookieName = 'popsvc_session';

const sessionCookiePattern = new RegExp(`(?:^|;) *${sessionCookieName}=([^;]*)`);

export const readSessionCookie = (cookies: string | undefined): string | undefined =>
  sessionCookiePattern.exec(cookies ?? '')?.[1];

/**
 * Resolves with undefined without a session cookie. Throws ExpiredCredential if the session is not valid, UNAVAILABLE if that cannot be
 * checked, and FORBIDDEN_ORIGIN for a change that no page of the console sends.
 */
export const operatorBySession = async (
  sessions: OperatorSessions,
  request: IncomingMessage,
): Promise<OperatorPrincipal | undefined> => {
  const value = readSessionCookie(request.headers.cookie);
  if (value === undefined) return undefined;
  const session = await sessions.confirm(value);
  // With `unauthorized`, a page that stays open and repeats its requests could use up the limit of wrong credentials of its address.
  if (session === undefined) throw new ExpiredCredential('The session has ended.');
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  if (!isReading) sessions.requireOwnPage((name) => request.headers[name]?.toString());
  const { account, expiresAtMs } = session;
  return {
    kind: 'operator',
    role: account?.role ?? 'admin',
    ...(account && { account: account.name }),
    session: { expiresAtMs },
  };
};
