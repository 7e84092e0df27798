import type { Command } from 'commander';
import { columns } from '../program/columns.ts';
import type { Connect } from '../program/connect.ts';
import { networkIds, wholeNumber } from '../program/option-values.ts';
import { print, type Told } from '../program/print.ts';

export interface NewClient {
  readonly client_id: string;
  readonly client_secret: string;
  readonly network_ids: readonly number[];
}

interface CreateOptions {
  readonly networks: readonly number[];
  readonly name?: string;
}

const weekSeconds = 7 * 24 * 60 * 60;
const monthSeconds = 30 * 24 * 60 * 60;

const stays = (seconds: number): string =>
  ` The one before stays good until ${new Date(Date.now() + seconds * 1_000).toISOString()}.`;

const fields = ['client_id', 'network_ids', 'name', 'created_at', 'revoked_at'];

const toldSecret = (value: NewClient, more: string): Told => ({
  value,
  text: `client_id      ${value.client_id}\nclient_secret  ${value.client_secret}\n\nKeep the secret: it is not shown again.${more}`,
});

export const clientsCommands = (program: Command, connect: Connect): void => {
  const group = program.command('clients').description('partners that read reports with access tokens');
  const at = (id: string) => `/clients/${encodeURIComponent(id)}`;

  group
    .command('create')
    .description('make a client; its secret is shown now and never again')
    .requiredOption('--networks <ids>', 'networks it may read, with commas; the first is its default', networkIds)
    .option('--name <text>', 'by which you know it')
    .action(async (body: CreateOptions, command: Command) => {
      const { ops } = await connect();
      print(command, toldSecret(await ops<NewClient>('/clients', { method: 'POST', body }), ''));
    });

  group
    .command('list')
    .description('all clients there ever were, without their secrets')
    .action(async (_: object, command: Command) => {
      const { ops } = await connect();
      const value = await ops<object[]>('/clients');
      print(command, { value, text: columns(value, fields, 'There are no clients.') });
    });

  group
    .command('rotate')
    .description('give a client another secret; the one before stays good for seven days, or as long as you say')
    .argument('<id>', 'client_id')
    .option('--overlap <seconds>', 'how long the one before stays good; 0 ends it now', wholeNumber(0, monthSeconds))
    .action(async (id: string, { overlap = weekSeconds }: { overlap?: number }, command: Command) => {
      const { ops } = await connect();
      const made = await ops<NewClient>(`${at(id)}/rotate?overlap_seconds=${overlap}`, { method: 'POST' });
      print(command, toldSecret(made, overlap === 0 ? ' The one before is refused.' : stays(overlap)));
    });

  group
    .command('revoke')
    .description('end a client for good, and its live tokens within 5 s')
    .argument('<id>', 'client_id')
    .action(async (id: string, _: object, command: Command) => {
      const { ops } = await connect();
      const value = await ops(at(id), { method: 'DELETE' });
      print(command, { value, text: `The client ${id} is revoked.` });
    });
};
