import { parseInstant, parseNetworkId, parseWholeNumber } from '../option-values.ts';
import { formatDuration, formatTable } from '../output/format.ts';
import { afterOption, limitOption, nextPageNote } from '../output/pages.ts';
import { dataOf, type OpsQuery, type OpsSchema } from '../service-client/ops-client.ts';
import type { OpsCommand } from '../service-client/ops-command.ts';

const listFields = [
  'offline_at',
  'online_at',
  'duration',
  'kind',
  'id',
  'name',
  'network_id',
  'site_name',
  'backfilled',
];

const toRow = ({ seconds, backfilled, online_at: onlineAt, ...outage }: OpsSchema<'ListedOutage'>) => ({
  ...outage,
  online_at: onlineAt ?? 'open',
  duration: formatDuration(seconds),
  backfilled: backfilled ? 'yes' : null,
});

export const addOutagesCommands = (program: OpsCommand): void => {
  const group = program.command('outages').description('periods in which devices and feeders were offline');

  group
    .command('list')
    .description('outages that overlap a period, newest first')
    .option('--network <id>', 'only outages of this network', parseNetworkId)
    .option('--device <id>', 'only outages of this device', parseWholeNumber(1))
    .option('--feeder <id>', 'only outages of this feeder; with --device, of both', parseWholeNumber(1))
    .option('--site <id>', 'only outages of the devices in this site and their feeders', parseWholeNumber(1))
    .option('--from <instant>', 'start of the period; default: a week ago', parseInstant)
    .option('--to <instant>', 'end of the period', parseInstant)
    .option('--open', 'only outages that have not ended')
    .addOption(limitOption('outages', 100))
    .addOption(afterOption())
    .request(async (ops, query: OpsQuery<'/ops/v1/outages'>) => {
      const value = await dataOf(ops.GET('/ops/v1/outages', { params: { query } }));
      const emptyText = `There are no such outages since ${value.from}.`;
      return {
        value,
        text: formatTable(value.outages.map(toRow), listFields, emptyText),
        note: nextPageNote(value, 'There are older outages'),
      };
    });
};
