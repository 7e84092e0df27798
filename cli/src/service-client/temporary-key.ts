import { instantOf } from '@popsvc/contracts/time';
import { remark } from '../program/print.ts';
import type { Ops } from './ops-client.ts';

export interface Sender {
  readonly network: number;
  readonly vendor: string;
}

const livesMs = 24 * 60 * 60_000;

/** Does the work with an API key made for it, which is revoked afterwards; it would end by itself within a day. */
export const withTemporaryKey = async <T>(
  ops: Ops,
  { network, vendor }: Sender,
  name: string,
  work: (apiKey: string) => Promise<T>,
): Promise<T> => {
  const body = { network, vendor, name, expires: instantOf(Date.now() + livesMs) };
  const { id, api_key: apiKey } = await ops<{ id: string; api_key: string }>('/api-keys', { method: 'POST', body });
  try {
    return await work(apiKey);
  } finally {
    await ops(`/api-keys/${id}`, { method: 'DELETE' }).catch((error: unknown) =>
      remark(`The API key ${id} could not be revoked (${String(error)}); it ends within a day.`),
    );
  }
};
