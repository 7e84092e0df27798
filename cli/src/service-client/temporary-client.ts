import { remark } from '../program/print.ts';
import type { Ops } from './ops-client.ts';

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Does the work with a client made for it, which is revoked afterwards. */
export const withTemporaryClient = async <T>(
  ops: Ops,
  networks: readonly number[],
  name: string,
  work: (client: ClientCredentials) => Promise<T>,
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
