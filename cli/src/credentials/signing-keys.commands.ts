import type { Command } from 'commander';
import { columns } from '../program/columns.ts';
import type { Connect } from '../program/connect.ts';
import { print } from '../program/print.ts';

const fields = ['kid', 'algorithm', 'created_at', 'public_until'];

export const signingKeysCommands = (program: Command, connect: Connect): void => {
  const group = program
    .command('signing-keys')
    .description('keys with which the built-in identity provider signs access tokens');

  group
    .command('list')
    .description('the key that signs, and those before it whose tokens may still be in use')
    .action(async (_: object, command: Command) => {
      const { ops } = await connect();
      const value = await ops<object[]>('/signing-keys');
      print(command, { value, text: columns(value, fields, 'No token was given out yet.') });
    });

  group
    .command('rotate')
    .description('sign with a new key now; it happens by itself every 30 days')
    .option('--end-tokens', 'the key is known to others: refuse every token that was given out, within 5 s')
    .action(async ({ endTokens = false }: { endTokens?: boolean }, command: Command) => {
      const { ops } = await connect();
      const value = await ops<object[]>(`/signing-keys/rotate?end_tokens=${endTokens}`, { method: 'POST' });
      print(command, { value, text: columns(value, fields, '') });
    });
};
