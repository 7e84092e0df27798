import type { Command } from 'commander';
import { columns } from '../cli/columns.ts';
import type { Connect } from '../cli/connect.ts';
import { instant, networkId } from '../cli/option-values.ts';
import { print } from '../cli/print.ts';

export interface NewKey {
  readonly id: string;
  readonly api_key: string;
  readonly network_id: number;
  readonly vendor: string;
}

interface CreateOptions {
  readonly network: number;
  readonly vendor: string;
  readonly expires?: string;
  readonly name?: string;
}

const fields = ['id', 'prefix', 'network_id', 'vendor', 'name', 'created_at', 'expires_at', 'revoked_at'];

export const apiKeysCommands = (program: Command, connect: Connect): void => {
  const group = program.command('api-keys').description('keys with which vendors push events');

  group
    .command('create')
    .description('make a key; it is shown now and never again')
    .requiredOption('--network <id>', 'network the key belongs to', networkId)
    .requiredOption('--vendor <code>', 'vendor of that network')
    .option('--expires <instant>', 'when it ends, as ISO 8601 with Z or an offset', instant)
    .option('--name <text>', 'by which you know it')
    .action(async (body: CreateOptions, command: Command) => {
      const { ops } = await connect();
      const made = await ops<NewKey>('/api-keys', { method: 'POST', body });
      const text = `${made.api_key}\n\nKeep it: it is not shown again. Its id is ${made.id}.`;
      print(command, { value: made, text });
    });

  group
    .command('list')
    .description('all keys there ever were, without the keys')
    .action(async (_: object, command: Command) => {
      const { ops } = await connect();
      const value = await ops<object[]>('/api-keys');
      print(command, { value, text: columns(value, fields, 'There are no API keys.') });
    });

  group
    .command('revoke')
    .description('end a key for good, within 5 s')
    .argument('<id>', 'as api-keys list shows it')
    .action(async (id: string, _: object, command: Command) => {
      const { ops } = await connect();
      const value = await ops(`/api-keys/${encodeURIComponent(id)}`, { method: 'DELETE' });
      print(command, { value, text: `The key ${id} is revoked.` });
    });
};
