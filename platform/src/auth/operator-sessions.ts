import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../config/index.ts';
import { type Clock, systemClock } from '../runtime/index.ts';
import { isOperatorToken } from './operator-token.ts';

export interface OperatorSession {
  /** What the cookie holds. */
  readonly value: string;
  readonly untilMs: number;
}

/** Sessions of operators' browsers, so that no page has to keep the token. Nothing is stored: another token ends them all. */
export interface OperatorSessions {
  /** A new one for who presents the token; undefined for anybody else. */
  open(token: string): OperatorSession | undefined;
  /** When the session ends, ms since 1970; undefined when it has ended or never was one. */
  untilOf(value: string): number | undefined;
}

export const sessionMs = 12 * 3_600_000;

/** `{end}.{signature}`; the end in ms since 1970. */
const form = /^(\d{13})\.([A-Za-z0-9_-]{43})$/;

export const operatorSessions = (token: Secret, clock: Clock = systemClock): OperatorSessions => {
  const isToken = isOperatorToken(token);
  const key = Buffer.from(hkdfSync('sha256', token.reveal(), '', 'popsvc operator sessions', 32));
  const sign = (until: string): Buffer => createHmac('sha256', key).update(until).digest();
  return {
    open(presented) {
      if (!isToken(presented)) return undefined;
      const untilMs = clock.now() + sessionMs;
      return { value: `${untilMs}.${sign(String(untilMs)).toString('base64url')}`, untilMs };
    },
    untilOf(value) {
      const [, until = '', signature = ''] = form.exec(value) ?? [];
      const presented = Buffer.from(signature, 'base64url');
      const due = sign(until);
      if (presented.length !== due.length || !timingSafeEqual(presented, due)) return undefined;
      return Number(until) > clock.now() ? Number(until) : undefined;
    },
  };
};
