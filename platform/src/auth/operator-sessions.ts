import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../config/index.ts';
import { type Clock, systemClock } from '../runtime/index.ts';
import type { EndedSessions } from './ended-sessions.ts';
import { isOperatorToken } from './operator-token.ts';

export interface OperatorSession {
  /** What the cookie holds. */
  readonly value: string;
  readonly expiresAtMs: number;
}

/** Sessions of operators' browsers, so that no page has to keep the token. Only ends are stored; another token ends them all. */
export interface OperatorSessions {
  /** A new one for who presents the token; undefined for anybody else. */
  open(token: string): OperatorSession | undefined;
  /** When the session ends, ms since 1970; undefined when it has ended or never was one. */
  expiresAtMs(value: string): number | undefined;
  /** Ends it wherever its value was copied to. What is no session that lasts is passed over. */
  end(value: string): Promise<void>;
}

export interface OperatorSessionsOptions {
  /** Without it sessions end by the clock alone. */
  readonly ended?: Pick<EndedSessions, 'has' | 'add'>;
  readonly clock?: Clock;
}

export const sessionDurationMs = 12 * 3_600_000;

/** `{end}.{id}.{signature}`; the end in ms since 1970. */
const form = /^(\d{13})\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;

export const createOperatorSessions = (
  token: Secret,
  { ended, clock = systemClock }: OperatorSessionsOptions = {},
): OperatorSessions => {
  const isToken = isOperatorToken(token);
  const key = Buffer.from(hkdfSync('sha256', token.reveal(), '', 'popsvc operator sessions', 32));
  const sign = (text: string): Buffer => createHmac('sha256', key).update(text).digest();

  const lasting = (value: string): { readonly id: string; readonly untilMs: number } | undefined => {
    const [, until = '', id = '', signature = ''] = form.exec(value) ?? [];
    const presented = Buffer.from(signature, 'base64url');
    const due = sign(`${until}.${id}`);
    if (presented.length !== due.length || !timingSafeEqual(presented, due)) return undefined;
    return Number(until) > clock.now() && ended?.has(id) !== true ? { id, untilMs: Number(until) } : undefined;
  };

  return {
    open(presented) {
      if (!isToken(presented)) return undefined;
      const untilMs = clock.now() + sessionDurationMs;
      const text = `${untilMs}.${randomBytes(16).toString('base64url')}`;
      return { value: `${text}.${sign(text).toString('base64url')}`, expiresAtMs: untilMs };
    },
    expiresAtMs: (value) => lasting(value)?.untilMs,
    async end(value) {
      const session = lasting(value);
      if (session) await ended?.add(session.id, session.untilMs);
    },
  };
};
