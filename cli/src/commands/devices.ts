import { Option } from 'commander';
import { parseNetworkId, parseWholeNumber } from '../option-values.ts';
import { formatTable } from '../output/format.ts';
import { afterOption, limitOption, nextPageNote } from '../output/pages.ts';
import { dataOf, type OpsQuery, type OpsSchema } from '../service-client/ops-client.ts';
import type { OpsCommand } from '../service-client/ops-command.ts';

interface ListOptions extends Omit<OpsQuery<'/ops/v1/devices'>, 'site_id'> {
  readonly site?: number;
}

const listFields = [
  'id',
  'name',
  'status',
  'last_active_at',
  'offline_since',
  'network',
  'site',
  'location',
  'screens',
  'feeders',
];

const toRow = ({ network, site, location, screens, feeders, ...device }: OpsSchema<'ListedDevice'>) => ({
  ...device,
  network: network.name,
  site: site.name,
  location: location.name,
  screens: screens.join(', ') || null,
  feeders: feeders.map(({ id }) => id).join(', ') || null,
});

export const addDevicesCommands = (program: OpsCommand): void => {
  program
    .command('devices')
    .description('devices, which show plays, and their online status')
    .command('list')
    .description('devices ordered by id, without retired ones')
    .option('--network <id>', 'only devices of this network', parseNetworkId)
    .option('--site <id>', 'only devices in this site', parseWholeNumber(1))
    .addOption(new Option('--status <status>', 'only devices with this status').choices(['online', 'offline', 'never']))
    .option('--search <text>', 'only devices whose name, id or screens contain this text')
    .addOption(limitOption('devices', 100))
    .addOption(afterOption())
    .request(async (ops, { site, ...options }: ListOptions) => {
      const query = { ...options, ...(site !== undefined && { site_id: [site] }) };
      const value = await dataOf(ops.GET('/ops/v1/devices', { params: { query } }));
      const text = formatTable(value.devices.map(toRow), listFields, 'There are no such devices.');
      return { value, text, note: nextPageNote(value, `${value.count} of ${value.total} devices. For more`) };
    });
};
