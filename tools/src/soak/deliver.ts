import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Access } from './access.ts';
import type { Ledger, Outcome } from './ledger.ts';
import type { Sending } from './sending.ts';

const timeoutMs = 20_000;
const longestPauseMs = 8_000;

/** Of a status, 0 for no answer at all; `wanted` is that of success. */
export const outcomeOf = (status: number, wanted: number, comeBack: boolean): Outcome => {
  if (status === wanted) return 'ok';
  return [0, 429, 500, 502, 503, 504].includes(status) || (status === 409 && comeBack) ? 'unknown' : 'fail';
};

/** Sends as a vendor's client does: the same request again until it is answered for good. Resolves with whether that was well. */
export const delivering = (access: Access, ledger: Ledger, complain: (text: string) => void) => {
  const attempt = async ({ network, path, body, idempotencyKey, isPacked }: Sending) => {
    const { ingest_base_url } = access.service().credentials;
    const text = JSON.stringify(body);
    const answer = await fetch(`${ingest_base_url}/popsvc/v1${path}`, {
      method: 'POST',
      headers: {
        'x-api-key': access.keyOf(network),
        'content-type': 'application/json',
        ...(isPacked && { 'content-encoding': 'gzip' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      body: isPacked ? gzipSync(text) : text,
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: answer.status, comeBack: answer.headers.has('retry-after'), told: await answer.text() };
  };

  return async (sending: Sending): Promise<boolean> => {
    const { kind, network, plays, later, wanted = 202 } = sending;
    if (wanted === 202) ledger.sends(network, plays);
    for (let tries = 1; ; tries += 1) {
      const { status, comeBack, told } = await attempt(sending).catch(() => ({
        status: 0,
        comeBack: false,
        told: 'no answer',
      }));
      const outcome = outcomeOf(status, wanted, comeBack);
      ledger.tried(kind, outcome);
      if (status === 500) complain(`${kind} answered 500: ${told}`);
      if (outcome === 'ok') {
        if (wanted !== 202) return true;
        if (!later) {
          const ids = plays.map(({ id }) => id);
          ledger.acknowledged(network, ids, Date.now());
        }
        if (sending.idempotencyKey !== undefined) ledger.storedOnce(network, plays.length);
        return true;
      }
      if (outcome === 'fail') {
        complain(`${kind} answered ${status} instead of ${wanted}: ${told.slice(0, 300)}`);
        return false;
      }
      await sleep(Math.min(longestPauseMs, 250 * 2 ** tries) * (0.5 + Math.random() / 2));
    }
  };
};
