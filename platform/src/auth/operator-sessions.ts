import { createHmac, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ApiError } from '@popsvc/contracts/errors';
import type { Secret } from '../config/index.ts';
import { type Clock, systemClock } from '../runtime/index.ts';
import { type OperatorPrincipal, unauthorized, type VerifyCredential } from './access.ts';
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

export const operatorVerifier = (token: Secret | undefined): VerifyCredential => {
  const isToken = token && isOperatorToken(token);
  return (presented) => Promise.resolve(isToken?.(presented) ? { kind: 'operator' } : undefined);
};

export interface OperatorSession {
  /** Value of the session cookie. */
  readonly value: string;
  readonly expiresAtMs: number;
}

/**
 * Browser sessions of operators. With a session, a page does not have to store the operator token. The session cookie contains a
 * signed value, so the service stores no active sessions, only ended ones. Changing the operator token ends all sessions.
 */
export interface OperatorSessions {
  /** Opens a session if the operator token is valid; otherwise returns undefined. */
  open(token: string): OperatorSession | undefined;
  /** Returns the session's expiry time in ms since 1970, or undefined if the session has ended or is invalid. */
  expiresAtMs(value: string): number | undefined;
  /** Ends a session: every copy of its cookie becomes invalid. Ignores values that are not active sessions. */
  end(value: string): Promise<void>;
}

export interface OperatorSessionsOptions {
  /** If undefined, sessions end only by expiry. */
  readonly ended?: Pick<EndedSessions, 'has' | 'add'>;
  readonly clock?: Clock;
}

export const sessionDurationMs = 12 * 3_600_000;

/** Format of the session cookie's value: `{expiry}.{id}.{signature}`, with the expiry in ms since 1970. */
const sessionFormat = /^(\d{13})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

export const createOperatorSessions = (
  token: Secret,
  { ended, clock = systemClock }: OperatorSessionsOptions = {},
): OperatorSessions => {
  const isToken = isOperatorToken(token);
  const key = Buffer.from(hkdfSync('sha256', token.reveal(), '', 'popsvc operator sessions', 32));
  const sign = (text: string): Buffer => createHmac('sha256', key).update(text).digest();

  const readActiveSession = (value: string): { readonly id: string; readonly untilMs: number } | undefined => {
    const [, until = '', id = '', signature = ''] = sessionFormat.exec(value) ?? [];
    const presented = Buffer.from(signature, 'base64url');
    const expected = sign(`${until}.${id}`);
    if (presented.length !== expected.length || !timingSafeEqual(presented, expected)) return undefined;
    return Number(until) > clock.now() && ended?.has(id) !== true ? { id, untilMs: Number(until) } : undefined;
  };

  return {
    open(presented) {
      if (!isToken(presented)) return undefined;
      const untilMs = clock.now() + sessionDurationMs;
      const text = `${untilMs}.${randomBytes(16).toString('base64url')}`;
      return { value: `${text}.${sign(text).toString('base64url')}`, expiresAtMs: untilMs };
    },
    expiresAtMs: (value) => readActiveSession(value)?.untilMs,
    async end(value) {
      const session = readActiveSession(value);
      if (session) await ended?.add(session.id, session.untilMs);
    },
  };
};

/** Reads a request header by its lower-case name. */
type HeaderOf = (name: string) => string | undefined;

const isHost = (origin: string, host: string | undefined): boolean =>
  host !== undefined && URL.canParse(origin) && new URL(origin).host === host;

/**
 * Throws FORBIDDEN_ORIGIN unless the request comes from a page of this server. Browsers attach the session cookie to requests
 * from any page, but send `Sec-Fetch-Site` or `Origin` with every request that can change state.
 */
export const requireSameOrigin = (header: HeaderOf): void => {
  if (header('sec-fetch-site') === 'same-origin' || isHost(header('origin') ?? '', header('host'))) return;
  throw new ApiError('FORBIDDEN_ORIGIN');
};

export const sessionCookieName = 'popsvc_session';

const sessionCookiePattern = new RegExp(`(?:^|;) *${sessionCookieName}=([^;]*)`);

/** Reads the session cookie from a `Cookie` header. Returns undefined if the header does not contain it. */
export const readSessionCookie = (cookies: string | undefined): string | undefined =>
  sessionCookiePattern.exec(cookies ?? '')?.[1];

/**
 * Returns the operator that a request's session cookie authenticates, or undefined if the request has no session cookie. Throws
 * UNAUTHORIZED if the session ended.
 */
export const operatorBySession = (
  sessions: OperatorSessions,
  request: IncomingMessage,
): OperatorPrincipal | undefined => {
  const value = readSessionCookie(request.headers.cookie);
  if (value === undefined) return undefined;
  const untilMs = sessions.expiresAtMs(value);
  if (untilMs === undefined) throw unauthorized('The session has ended.', 'invalid_token');
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  if (!isReading) requireSameOrigin((name) => request.headers[name]?.toString());
  return {
    kind: 'operator',
    session: { expiresAtMs: untilMs, isActive: () => sessions.expiresAtMs(value) !== undefined },
  };
};
