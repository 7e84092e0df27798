import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Access } from './access.ts';
import type { Ledger, Outcome, SentPlay } from './ledger.ts';
import type { SoakNetwork } from './networks.ts';

/** A request that a vendor sends to command-api. */
export interface VendorRequest {
  /** Kind of request. The soak report counts attempts by kind. */
  readonly kind: string;
  readonly network: SoakNetwork;
  /** Path below `/popsvc/v1`. */
  readonly path: string;
  readonly body: unknown;
  /** Plays in the request, including those that earlier requests contained. */
  readonly plays: readonly SentPlay[];
  /**
   * True if the schema of the plays has no mapping yet. Reports contain these plays only after the mapping has been registered.
   */
  readonly isDeferred?: boolean;
  readonly idempotencyKey?: string;
  /** Whether to compress the body with gzip. */
  readonly isCompressed?: boolean;
  /** Expected status; default 202. */
  readonly expected?: number;
}

const timeoutMs = 20_000;
const maxPauseMs = 8_000;

/** Classifies a response status. `status` is 0 if there was no response; `expected` is the status that means success. */
export const classifyStatus = (status: number, expected: number, hasRetryAfter: boolean): Outcome => {
  if (status === expected) return 'ok';
  return [0, 429, 500, 502, 503, 504].includes(status) || (status === 409 && hasRetryAfter) ? 'unknown' : 'fail';
};

/**
 * Returns a function that sends a request the way a vendor's client would: it retries until the response is final. Resolves with true
 * on success.
 */
export const createDelivery = (access: Access, ledger: Ledger, addFailure: (text: string) => void) => {
  const attempt = async ({ network, path, body, idempotencyKey, isCompressed }: VendorRequest) => {
    const { ingest_base_url } = access.service().credentials;
    const json = JSON.stringify(body);
    const response = await fetch(`${ingest_base_url}/popsvc/v1${path}`, {
      method: 'POST',
      headers: {
        'x-api-key': access.keyOf(network),
        'content-type': 'application/json',
        ...(isCompressed && { 'content-encoding': 'gzip' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      body: isCompressed ? gzipSync(json) : json,
      signal: AbortSignal.timeout(timeoutMs),
    });
    return {
      status: response.status,
      hasRetryAfter: response.headers.has('retry-after'),
      text: await response.text(),
    };
  };

  return async (vendorRequest: VendorRequest): Promise<boolean> => {
    const { kind, network, plays, isDeferred, expected = 202 } = vendorRequest;
    if (expected === 202) ledger.addPlays(network, plays);
    for (let tries = 1; ; tries += 1) {
      const { status, hasRetryAfter, text } = await attempt(vendorRequest).catch(() => ({
        status: 0,
        hasRetryAfter: false,
        text: 'no response',
      }));
      const outcome = classifyStatus(status, expected, hasRetryAfter);
      ledger.countAttempt(kind, outcome);
      if (status === 500) addFailure(`${kind} returned 500: ${text}`);
      if (outcome === 'ok') {
        if (expected !== 202) return true;
        if (!isDeferred) {
          const ids = plays.map(({ id }) => id);
          ledger.acknowledge(network, ids, Date.now());
        }
        if (vendorRequest.idempotencyKey !== undefined) ledger.addStoredOnce(network, plays.length);
        return true;
      }
      if (outcome === 'fail') {
        addFailure(`${kind} returned ${status} instead of ${expected}: ${text.slice(0, 300)}`);
        return false;
      }
      await sleep(Math.min(maxPauseMs, 250 * 2 ** tries) * (0.5 + Math.random() / 2));
    }
  };
};
