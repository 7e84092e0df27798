import type { Command } from 'commander';
import { parseInstant, parseNetworkId, parseWholeNumber } from '../option-values.ts';
import { formatTable } from '../output/format.ts';
import { dataOf } from '../service-client/ops-client.ts';
import type { OpsCommand } from '../service-client/ops-command.ts';

interface RateOptions {
  readonly requestsPerSecond?: number;
  readonly eventsPerSecond?: number;
}

interface CreateOptions extends RateOptions {
  readonly network: number;
  readonly vendor: string;
  readonly expires?: string;
  readonly name?: string;
}

const toRates = ({ requestsPerSecond, eventsPerSecond }: RateOptions) => ({
  ...(requestsPerSecond !== undefined && { requests_per_second: requestsPerSecond }),
  ...(eventsPerSecond !== undefined && { events_per_second: eventsPerSecond }),
});

const withRateOptions = <Kind extends Command>(command: Kind): Kind =>
  command
    .option('--requests-per-second <number>', 'limit; bursts may be twice as large', parseWholeNumber(1, 1_000_000))
    .option('--events-per-second <number>', 'limit; bursts may be twice as large', parseWholeNumber(1, 100_000_000));

const listFields = [
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

export const addApiKeysCommands = (program: OpsCommand): void => {
  const group = program.command('api-keys').description('API keys with which vendors push events');

  withRateOptions(group.command('create'))
    .description('create an API key; it is shown only now')
    .requiredOption('--network <id>', 'network of the key', parseNetworkId)
    .requiredOption('--vendor <code>', 'vendor in this network')
    .option('--expires <instant>', 'end of validity, ISO 8601 with Z or an offset', parseInstant)
    .option('--name <text>', 'a name to recognize it by')
    .request(async (ops, options: CreateOptions) => {
      const { network, vendor, expires, name } = options;
      const body = {
        network,
        vendor,
        ...(expires !== undefined && { expires }),
        ...(name !== undefined && { name }),
        ...toRates(options),
      };
      const value = await dataOf(ops.POST('/ops/v1/api-keys', { body }));
      const text = `${value.api_key}\n\nKeep the key: it is not shown again. Its id is ${value.id}.`;
      return { value, text };
    });

  group
    .command('list')
    .description('all API keys, including revoked and expired ones, without the keys themselves')
    .request(async (ops) => {
      const value = await dataOf(ops.GET('/ops/v1/api-keys'));
      return { value, text: formatTable(value, listFields, 'There are no API keys.') };
    });

  withRateOptions(group.command('rate'))
    .description('set the rate limits of an API key; in force within 5 s')
    .argument('<id>', 'id shown by api-keys list')
    .request(async (ops, id: string, rates: RateOptions) => {
      const init = { params: { path: { id } }, body: toRates(rates) };
      const value = await dataOf(ops.PUT('/ops/v1/api-keys/{id}/rates', init));
      const { requests_per_second: requests, events_per_second: events } = value;
      return {
        value,
        text: `The key ${id} may send ${requests} requests and ${events} events a second.`,
      };
    });

  group
    .command('revoke')
    .description('revoke an API key permanently, within 5 s')
    .argument('<id>', 'id shown by api-keys list')
    .request(async (ops, id: string) => {
      const value = await dataOf(ops.DELETE('/ops/v1/api-keys/{id}', { params: { path: { id } } }));
      return { value, text: `The key ${id} is revoked.` };
    });
};
