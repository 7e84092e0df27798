import { type Command, Option } from 'commander';
import { columns } from '../program/columns.ts';
import type { Connect } from '../program/connect.ts';
import { networkId, wholeNumber } from '../program/option-values.ts';
import { print, remark } from '../program/print.ts';
import { withQuery } from '../service-client/with-query.ts';

interface Named {
  readonly id: number;
  readonly name: string;
}

interface ToldDevice extends Named {
  readonly network: Named;
  readonly site: Named;
  readonly location: Named;
  readonly screens: readonly string[];
  readonly feeders: readonly Named[];
}

interface Listed {
  readonly total: number;
  readonly count: number;
  /** Where the next page begins; null on the last. */
  readonly next_after: number | null;
  readonly devices: readonly ToldDevice[];
}

const fields = [
  ...['id', 'name', 'status', 'last_active_at', 'offline_since'],
  ...['network', 'site', 'location', 'screens', 'feeders'],
];

const line = ({ network, site, location, screens, feeders, ...device }: ToldDevice) => ({
  ...device,
  network: network.name,
  site: site.name,
  location: location.name,
  screens: screens.join(', ') || null,
  feeders: feeders.map(({ id }) => id).join(', ') || null,
});

export const devicesCommands = (program: Command, connect: Connect): void => {
  program
    .command('devices')
    .description('what shows plays, and whether it is online')
    .command('list')
    .description('devices by id, without retired ones')
    .option('--network <id>', 'of this network', networkId)
    .option('--site <id>', 'that are in this site now', wholeNumber(1))
    .addOption(new Option('--status <status>', 'that are so now').choices(['online', 'offline', 'never']))
    .option('--search <text>', 'a part of the name, the id, or a screen')
    .option('--limit <n>', 'so many at most', wholeNumber(1, 1_000), 100)
    .option('--after <id>', 'the next ones, from where the list before ended', wholeNumber(0))
    .action(async ({ site: site_id, ...options }: { site?: number }, command: Command) => {
      const { ops } = await connect();
      const value = await ops<Listed>(withQuery('/devices', { ...options, site_id }));
      print(command, { value, text: columns(value.devices.map(line), fields, 'There are no such devices.') });
      if (value.next_after !== null) remark(`${value.count} of ${value.total}. For more: --after ${value.next_after}`);
    });
};
