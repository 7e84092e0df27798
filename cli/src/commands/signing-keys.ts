import type { Command } from 'commander';
import { formatTable } from '../output/format.ts';
import { printResult } from '../output/print.ts';
import { type Connect, dataOf } from '../service-client/ops-client.ts';

const listFields = ['kid', 'algorithm', 'created_at', 'public_until'];

export const addSigningKeysCommands = (program: Command, connect: Connect): void => {
  const group = program
    .command('signing-keys')
    .description('keys with which the built-in identity provider signs access tokens');

  group
    .command('list')
    .description('the current signing key, and previous keys whose tokens may still be valid')
    .action(async (_: object, command: Command) => {
      const { ops } = await connect();
      const value = await dataOf(ops.GET('/ops/v1/signing-keys'));
      printResult(command, { value, text: formatTable(value, listFields, 'No token has been issued yet.') });
    });

  group
    .command('rotate')
    .description('sign with a new key from now on; also happens automatically every 30 days')
    .option('--end-tokens', 'after a leak of the key: reject every issued token, within 5 s')
    .action(async ({ endTokens = false }: { endTokens?: boolean }, command: Command) => {
      const { ops } = await connect();
      const params = { query: { end_tokens: endTokens } };
      const value = await dataOf(ops.POST('/ops/v1/signing-keys/rotate', { params }));
      printResult(command, { value, text: formatTable(value, listFields, '') });
    });
};
