import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { remark } from '../cli/print.ts';
import { ask } from './ask.ts';
import type { Service } from './find-service.ts';
import type { Ops } from './ops-client.ts';
import { refusalOf } from './service-refusal.ts';

export interface Client {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Does the work with a client made for it, which is revoked afterwards. */
export const withTemporaryClient = async <T>(
  ops: Ops,
  networks: readonly number[],
  name: string,
  work: (client: Client) => Promise<T>,
): Promise<T> => {
  const made = await ops<{ client_id: string; client_secret: string }>('/clients', {
    method: 'POST',
    body: { networks, name },
  });
  try {
    return await work({ clientId: made.client_id, clientSecret: made.client_secret });
  } finally {
    await ops(`/clients/${made.client_id}`, { method: 'DELETE' }).catch((error: unknown) =>
      remark(`The client ${made.client_id} could not be revoked (${String(error)}); revoke it with clients revoke.`),
    );
  }
};

const patienceMs = 30_000;
const longestDownloadMs = 30 * 60_000;

const tokenOf = async ({ tokenUrl }: Service, { clientId, clientSecret }: Client): Promise<string> => {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  });
  const response = await ask({
    method: 'POST',
    url: tokenUrl,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: body.toString(),
    patienceMs,
  });
  if (!response.ok) throw await refusalOf(response);
  return ((await response.json()) as { access_token: string }).access_token;
};

export interface DownloadWish {
  readonly networkName: string;
  readonly from: string;
  readonly to: string;
}

/** The rows of a coffee download, streamed, as a partner would read them; the first holds the names of the columns. */
export async function* coffeeRows(
  service: Service,
  client: Client,
  { networkName, from, to }: DownloadWish,
): AsyncGenerator<readonly string[]> {
  const query = new URLSearchParams({ from, to }).toString();
  const response = await ask({
    url: `${service.queryUrl}/api/v1/coffee/download?${query}`,
    headers: {
      authorization: `Bearer ${await tokenOf(service, client)}`,
      'x-network-name': encodeURIComponent(networkName),
    },
    patienceMs,
    timeoutMs: longestDownloadMs,
  });
  if (!response.ok || !response.body) throw await refusalOf(response);
  const rows = parse();
  const bytes = Readable.fromWeb(response.body);
  // A transfer that is cut must not look like a short file.
  bytes.once('error', (error) => rows.destroy(error)).pipe(rows);
  yield* rows as AsyncIterable<readonly string[]>;
}
