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

/**
 * Returns a function that compares a string with the operator token in constant time. It compares hashes rather than the strings
 * themselves, so the response time does not reveal the token's length.
 */
const isOperatorToken = (token: Secret): ((presented: string) => boolean) => {
  const expected = sha256(token.reveal());
  return (presented) => timingSafeEqual(expected, sha256(presented));
};

/** The operator token has the role `admin`. */
export const operatorVerifier = (token: Secret | undefined): VerifyCredential => {
  const isToken = token && isOperatorToken(token);
  return (presented) => Promise.resolve(isToken?.(presented) ? { kind: 'operator', role: 'admin' } : undefined);
};

/** The account that a session belongs to, as the session cookie contains it. */
const SessionAccount = z.object({
  name: z.string(),
  role: z.enum(OPERATOR_ROLES),
  /** Version of the local account; absent for an account of an OpenID provider. */
  version: z.string().optional(),
});
export type SessionAccount = z.output<typeof SessionAccount>;

export interface OperatorSession {
  readonly value: string;
  readonly expiresAtMs: number;
}

/** A session that has not ended. */
interface FoundSession {
  readonly expiresAtMs: number;
  /** Undefined if the session was opened with the operator token. */
  readonly account: SessionAccount | undefined;
}

/**
 * Browser sessions of operators. With a session, a page does not have to store a token or password. The session cookie contains a
 * signed value, so the service stores no active sessions, only ended ones. Changing the operator token ends all sessions.
 */
export interface OperatorSessions {
  open(token: string): OperatorSession | undefined;
  /** Opens a session for an account whose credentials the caller has checked. */
  openFor(account: SessionAccount, durationMs?: number): OperatorSession;
  /**
   * Returns the session with this cookie value; undefined if it has ended or is invalid. A session of a local account ends when the
   * account changes; `find` reads the accounts from memory.
   */
  find(value: string): FoundSession | undefined;
  /** Like `find`, but reads the account from PostgreSQL if this process has not read its current version yet. */
  confirm(value: string): Promise<FoundSession | undefined>;
  /**
   * Throws FORBIDDEN_ORIGIN unless the request comes from a page of the console. Browsers also attach the session cookie to
   * requests from other pages of the same site, but no page can forge `Sec-Fetch-Site` or `Origin`. A comparison of `Origin` with
   * `Host` would not suffice, because an attacker with DNS rebinding chooses `Host`.
   */
  requireOwnPage(header: HeaderOf): void;
  /** Ends a session: every copy of its cookie becomes invalid. Ignores values that are not active sessions. */
  end(value: string): Promise<void>;
}

export interface OperatorSessionsOptions {
  /** If undefined, `end` has no effect. */
  readonly ended?: Pick<EndedSessions, 'has' | 'add'>;
  /** If undefined, no session of a local account is valid. */
  readonly accounts?: Pick<AccountWatch, 'isCurrent' | 'confirm'> | undefined;
  /**
   * Origins of the console. Needed if the console is on another machine without TLS, because browsers then do not send
   * `Sec-Fetch-Site`. Default: none.
   */
  readonly consoleOrigins?: readonly string[] | undefined;
  readonly clock?: Clock;
}

/** Reads a request header by its lower-case name. */
type HeaderOf = (name: string) => string | undefined;

export const sessionDurationMs = 12 * 3_600_000;

/**
 * Format of the session cookie's value: `{expiry}.{id}.{signature}` or, with an account, `{expiry}.{id}.{account}.{signature}`. The
 * expiry is in ms since 1970; the account is JSON in base64url.
 */
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

  /** Reads a session that is signed, not expired and not ended. Does not check its account. */
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

/** Reads the session cookie from a `Cookie` header. Returns undefined if the header does not contain it. */
export const readSessionCookie = (cookies: string | undefined): string | undefined =>
  sessionCookiePattern.exec(cookies ?? '')?.[1];

/**
 * Returns the operator that a request's session cookie authenticates, or undefined if the request has no session cookie. Throws
 * UNAUTHORIZED if the session has ended or is invalid, and what `requireOwnPage` throws if the request may change state.
 */
export const operatorBySession = async (
  sessions: OperatorSessions,
  request: IncomingMessage,
): Promise<OperatorPrincipal | undefined> => {
  const value = readSessionCookie(request.headers.cookie);
  if (value === undefined) return undefined;
  const session = await sessions.confirm(value);
  // An ended session does not count as a wrong credential. Otherwise, an open page, which repeats its requests, could use up the limit of
  // its address. Guessing is infeasible anyway, because of the signature.
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
