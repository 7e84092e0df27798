import { instantOf } from '@popsvc/contracts/time';
import { printNote } from '../output/print.ts';
import { dataOf, type OpsClient } from './ops-client.ts';

/** The network and vendor on whose behalf events are pushed. */
export interface Sender {
  readonly network: number;
  readonly vendor: string;
}

const keyLifetimeMs = 24 * 60 * 60_000;

/** Creates an API key, calls `work` with it and then revokes it. The key also expires within a day, in case the process is killed. */
export const withTemporaryKey = async <T>(
  ops: OpsClient,
  { network, vendor }: Sender,
  name: string,
  work: (apiKey: string) => Promise<T>,
): Promise<T> => {
  const body = { network, vendor, name, expires: instantOf(Date.now() + keyLifetimeMs) };
  const { id, api_key: apiKey } = await dataOf(ops.POST('/ops/v1/api-keys', { body }));
  try {
    return await work(apiKey);
  } finally {
    await ops
      .DELETE('/ops/v1/api-keys/{id}', { params: { path: { id } } })
      .catch((error: unknown) =>
        printNote(`The API key ${id} could not be revoked (${String(error)}); it expires within a day.`),
      );
  }
};

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Creates an API client, calls `work` with its credentials and then revokes it. */
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
