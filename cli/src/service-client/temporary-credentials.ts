import { instantOf } from '@popsvc/contracts/time';
import { printNote } from '../output/print.ts';
import { dataOf, type OpsClient } from './ops-client.ts';

export interface Sender {
  readonly network: number;
  readonly vendor: string;
}

export interface TemporaryKey {
  readonly name: string;
  /** The key expires after this time, even if it cannot be revoked. */
  readonly lifetimeMs: number;
}

export const withTemporaryKey = async <T>(
  ops: OpsClient,
  { network, vendor }: Sender,
  { name, lifetimeMs }: TemporaryKey,
  work: (apiKey: string) => Promise<T>,
): Promise<T> => {
  const expires = instantOf(Date.now() + lifetimeMs);
  const body = { network, vendor, name, expires };
  const { id, api_key: apiKey } = await dataOf(ops.POST('/ops/v1/api-keys', { body }));
  try {
    return await work(apiKey);
  } finally {
    await ops
      .DELETE('/ops/v1/api-keys/{id}', { params: { path: { id } } })
      .catch((error: unknown) =>
        printNote(
          `The API key ${id} could not be revoked (${String(error)}); it expires at ${expires}, or use popsvc api-keys revoke.`,
        ),
      );
  }
};

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export const withTemporaryClient = async <T>(
  ops: OpsClient,
  networks: readonly number[],
  name: string,
  work: (client: ClientCredentials) => Promise<T>,
): Promise<T> => {
  const body = { networks: [...networks], name };
  const { client_id: clientId, client_secret: clientSecret } = await dataOf(ops.POST('/ops/v1/clients', { body }));
  try {
    return await work({ clientId, clientSecret });
  } finally {
    await ops
      .DELETE('/ops/v1/clients/{id}', { params: { path: { id: clientId } } })
      .catch((error: unknown) =>
        printNote(
          `The client ${clientId} could not be revoked (${String(error)}); revoke it with popsvc clients revoke.`,
        ),
      );
  }
};
