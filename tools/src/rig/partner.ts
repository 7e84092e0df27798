import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@popsvc/client';
import type { DemoCredentials } from './service-process.ts';

/** A vendor that pushes and a partner that reads: with the client, and over bare HTTP. */
export const createTestPartner = ({
  query_base_url,
  ingest_base_url,
  api_key,
}: Pick<DemoCredentials, 'query_base_url' | 'ingest_base_url' | 'api_key'>) => {
  const key = { 'x-api-key': api_key };
  const push = (path: string, body: unknown) =>
    fetch(`${ingest_base_url}/popsvc/v1${path}`, {
      method: 'POST',
      headers: { ...key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const read = (path: string, headers: Record<string, string> = key) =>
    fetch(`${query_base_url}/api/v1${path}`, { headers });
  const client = createClient({ baseUrl: query_base_url, ingestUrl: ingest_base_url, apiKey: api_key });
  return { push, read, client };
};

/** Asks again until it holds; throws what it last saw. */
export const waitUntil = async <T>(
  what: () => Promise<T>,
  holds: (seen: T) => boolean,
  patienceMs = 20_000,
): Promise<T> => {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const seen = await what();
    if (holds(seen)) return seen;
    if (Date.now() > deadline)
      throw new Error(`not after ${patienceMs} ms; last seen: ${JSON.stringify(seen).slice(0, 500)}`);
    await sleep(50);
  }
};
