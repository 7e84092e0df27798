import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../program/failure.ts';

export interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How long to try again while the service is away or asks to come back; default: not at all. */
  readonly patienceMs?: number;
  /** How long one answer may take. */
  readonly timeoutMs?: number;
}

/** 409 with `Retry-After`: the same request is still at work there. */
const asksBack = ({ status, headers }: Response): boolean =>
  [429, 502, 503, 504].includes(status) || (status === 409 && headers.has('retry-after'));

const standardTimeoutMs = 120_000;
const longestPauseMs = 15_000;

/** `Retry-After` as seconds or as a date, in ms from now. */
const askedPauseMs = (response: Response): number | undefined => {
  const header = response.headers.get('retry-after');
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(ms, 0) : undefined;
};

/** Doubles with every attempt, with jitter, so that many senders do not come back together. */
const ownPauseMs = (attempt: number): number =>
  Math.min(longestPauseMs, 200 * 2 ** attempt) * (0.5 + Math.random() / 2);

const unreachable = (url: string, error: unknown): Failure => {
  const cause = error instanceof Error ? (error.cause as { code?: string } | undefined) : undefined;
  const why = cause?.code ?? (error instanceof Error ? error.message : String(error));
  return new Failure(`${new URL(url).origin} does not answer (${why}). Does the service run?`);
};

/** A credential must not follow to wherever a redirect leads. */
const refuseRedirect = (url: string, { status, headers }: Response): void => {
  if (status < 300 || status > 399) return;
  const to = headers.get('location') ?? '';
  const where = URL.canParse(to, url) ? new URL(to, url).origin : 'elsewhere';
  throw new Failure(`${new URL(url).origin} leads to ${where}. Give the address of the service itself.`);
};

/** One request, told again for as long as patience lasts: only what may be told twice should be given any. */
export const ask = async (request: Request): Promise<Response> => {
  const { method = 'GET', url, headers = {}, body, patienceMs = 0, timeoutMs = standardTimeoutMs } = request;
  const until = performance.now() + patienceMs;
  for (let attempt = 0; ; attempt++) {
    let pause = ownPauseMs(attempt);
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const redirect = 'manual' as const;
      const response = await fetch(url, { method, headers, signal, redirect, ...(body !== undefined && { body }) });
      refuseRedirect(url, response);
      if (!asksBack(response) || performance.now() >= until) return response;
      pause = askedPauseMs(response) ?? pause;
      await response.body?.cancel();
    } catch (error) {
      if (error instanceof Failure) throw error;
      if (performance.now() >= until) throw unreachable(url, error);
    }
    await sleep(pause);
  }
};
