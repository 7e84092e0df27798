import type { Command } from 'commander';
import { columns } from '../program/columns.ts';
import type { Connect } from '../program/connect.ts';
import { instant, networkId, wholeNumber } from '../program/option-values.ts';
import { print, remark } from '../program/print.ts';
import { withQuery } from '../service-client/with-query.ts';
import { durationText } from './duration-text.ts';

interface ToldOutage {
  readonly kind: string;
  readonly id: number;
  readonly online_at: string | null;
  readonly seconds: number;
  readonly backfilled: boolean;
}

interface Listed {
  readonly from: string;
  readonly outages: readonly ToldOutage[];
  /** Where the next page begins; null on the last. */
  readonly next_cursor: string | null;
}

const fields = ['offline_at', 'online_at', 'duration', 'kind', 'id', 'name', 'network_id', 'site_name', 'backfilled'];

const line = ({ seconds, backfilled, online_at, ...outage }: ToldOutage) => ({
  ...outage,
  online_at: online_at ?? 'lasts',
  duration: durationText(seconds),
  backfilled: backfilled ? 'yes' : null,
});

export const outagesCommands = (program: Command, connect: Connect): void => {
  const group = program.command('outages').description('when devices and feeders were offline');

  group
    .command('list')
    .description('outages of which any part lies in the window, the newest first')
    .option('--network <id>', 'of this network', networkId)
    .option('--device <id>', 'of this device', wholeNumber(1))
    .option('--feeder <id>', 'of this feeder; with --device, of both', wholeNumber(1))
    .option('--site <id>', 'of the devices in this site, and of their feeders', wholeNumber(1))
    .option('--from <instant>', 'that lasted until after it; default a week ago', instant)
    .option('--to <instant>', 'that began before it', instant)
    .option('--open', 'those that last')
    .option('--limit <n>', 'so many at most', wholeNumber(1, 1_000), 100)
    .option('--cursor <cursor>', 'older ones, from where the list before ended')
    .action(async (options: object, command: Command) => {
      const { ops } = await connect();
      const value = await ops<Listed>(withQuery('/outages', options));
      const none = `There are no such outages since ${value.from}.`;
      print(command, { value, text: columns(value.outages.map(line), fields, none) });
      if (value.next_cursor !== null) remark(`There are older ones: --cursor ${value.next_cursor}`);
    });
};
