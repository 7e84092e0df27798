import type { Command } from 'commander';
import { columns } from '../program/columns.ts';
import type { Connect } from '../program/connect.ts';
import { instant, networkId, wholeNumber } from '../program/option-values.ts';
import { print } from '../program/print.ts';

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

interface Rates {
  readonly requestsPerSecond?: number | undefined;
  readonly eventsPerSecond?: number | undefined;
}

interface Rated {
  readonly requests_per_second: number;
  readonly events_per_second: number;
}

/** As the operations server names them; what is left out is not sent. */
const told = ({ requestsPerSecond, eventsPerSecond }: Rates) => ({
  requests_per_second: requestsPerSecond,
  events_per_second: eventsPerSecond,
});

const withRates = (command: Command): Command =>
  command
    .option('--requests-per-second <number>', 'twice as many may come at once', wholeNumber(1, 1_000_000))
    .option('--events-per-second <number>', 'twice as many may come at once', wholeNumber(1, 100_000_000));

const fields = [
  'id',
  'prefix',
  'network_id',
  'vendor',
  'name',
  'requests_per_second',
  'events_per_second',
  'created_at',
  'expires_at',
  'revoked_at',
];

export const apiKeysCommands = (program: Command, connect: Connect): void => {
  const group = program.command('api-keys').description('keys with which vendors push events');

  withRates(group.command('create'))
    .description('make a key; it is shown now and never again')
    .requiredOption('--network <id>', 'network the key belongs to', networkId)
    .requiredOption('--vendor <code>', 'vendor of that network')
    .option('--expires <instant>', 'when it ends, as ISO 8601 with Z or an offset', instant)
    .option('--name <text>', 'by which you know it')
    .action(async ({ requestsPerSecond, eventsPerSecond, ...wanted }: CreateOptions & Rates, command: Command) => {
      const { ops } = await connect();
      const body = { ...wanted, ...told({ requestsPerSecond, eventsPerSecond }) };
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

  withRates(group.command('rate'))
    .description('set how much a key may send; in force within 5 s')
    .argument('<id>', 'as api-keys list shows it')
    .action(async (id: string, rates: Rates, command: Command) => {
      const { ops } = await connect();
      const path = `/api-keys/${encodeURIComponent(id)}/rates`;
      const value = await ops<Rated>(path, { method: 'PUT', body: told(rates) });
      const { requests_per_second: requests, events_per_second: events } = value;
      print(command, { value, text: `The key ${id} may send ${requests} requests and ${events} events a second.` });
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
