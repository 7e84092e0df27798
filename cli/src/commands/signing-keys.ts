import { formatTable } from '../output/format.ts';
import { dataOf } from '../service-client/ops-client.ts';
import type { OpsCommand } from '../service-client/ops-command.ts';

const listFields = ['kid', 'algorithm', 'created_at', 'public_until'];

export const addSigningKeysCommands = (program: OpsCommand): void => {
  const group = program
    .command('signing-keys')
    .description('keys with which the built-in identity provider signs access tokens');

  group
    .command('list')
    .description('the current signing key, and previous keys whose tokens may still be valid')
    .request(async (ops) => {
      const value = await dataOf(ops.GET('/ops/v1/signing-keys'));
      return { value, text: formatTable(value, listFields, 'No token has been issued yet.') };
    });

  group
    .command('rotate')
    .description('sign with a new key from now on; also happens automatically every 30 days')
    .option('--end-tokens', 'after a leak of the key: reject every issued token, within 5 s')
    .request(async (ops, { endTokens = false }: { endTokens?: boolean }) => {
      const params = { query: { end_tokens: endTokens } };
      const value = await dataOf(ops.POST('/ops/v1/signing-keys/rotate', { params }));
      return { value, text: formatTable(value, listFields, '') };
    });
};
