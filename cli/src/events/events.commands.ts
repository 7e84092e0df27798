import type { Command } from 'commander';
import type { Connect } from '../program/connect.ts';
import { instant, networkId, wholeNumber } from '../program/option-values.ts';
import { print, remark } from '../program/print.ts';
import { withQuery } from '../service-client/with-query.ts';
import { balanceText } from './balance-text.ts';
import { conflictText } from './conflict-text.ts';
import { eventText } from './event-text.ts';
import { parkedCommands } from './parked.commands.ts';
import { quarantineText } from './quarantine-text.ts';
import { retryQuarantineCommand } from './retry-quarantine.command.ts';
import type { ToldBalance, ToldConflicts, ToldEvent, ToldQuarantine } from './told-events.ts';

const limit = wholeNumber(1, 1_000);

/** Lists that may be long tell where they go on. */
const tellMore = (next: string | null): void => {
  if (next !== null) remark(`There may be older ones: --before ${next}`);
};

export const eventsCommands = (program: Command, connect: Connect): void => {
  const group = program.command('events').description('what became of what vendors sent');
  const ofVendor = (command: Command): Command =>
    command.option('--network <id>', 'of this network', networkId).option('--vendor <code>', 'of this vendor');

  ofVendor(group.command('show'))
    .description('everything that is known of an event: each receipt with its content, its rows, the hours it came in')
    .argument('<event-id>', 'as the vendor names it; after -- when it begins with a dash')
    .action(async (id: string, options: object, command: Command) => {
      const { ops } = await connect();
      const value = await ops<ToldEvent>(withQuery('/events', { id, ...options }));
      print(command, { value, text: eventText(value) });
    });

  ofVendor(group.command('conflicts'))
    .description('ids that came again with other content, the newest first: what differs, side by side')
    .option('--since <instant>', 'received since the hour of this; default: 31 days ago', instant)
    .option('--limit <n>', 'so many at most', limit, 20)
    .option('--before <position>', 'older ones, from where the list before ended')
    .action(async (options: object, command: Command) => {
      const { ops } = await connect();
      const value = await ops<ToldConflicts>(withQuery('/conflicts', options));
      const text = value.conflicts.map(conflictText).join('\n\n') || `There are no conflicts since ${value.since}.`;
      print(command, { value, text });
      tellMore(value.next_before);
    });

  const quarantine = ofVendor(group.command('quarantine'))
    .description('events that wait for a mapping or for the registry: why, counted, then the newest')
    .option('--schema-version <name>', "of this schema of the vendor's own")
    .option('--limit <n>', 'so many at most', limit, 20)
    .option('--before <position>', 'older ones, from where the list before ended')
    .action(async ({ schemaVersion, ...options }: { schemaVersion?: string }, command: Command) => {
      const { ops } = await connect();
      const value = await ops<ToldQuarantine>(withQuery('/quarantine', { schema_version: schemaVersion, ...options }));
      print(command, { value, text: quarantineText(value) });
      tellMore(value.next_before);
    });

  retryQuarantineCommand(quarantine, connect);
  parkedCommands(group, connect);

  ofVendor(group.command('balance'))
    .description('received = stored + duplicate + conflict + quarantined, by hour of receipt and together')
    .option('--since <instant>', 'hours that begin then or later; default: a day before the end', instant)
    .option('--until <instant>', 'hours that begin before; default: now', instant)
    .option('--limit <n>', 'so many hours at most; the last line counts all of them', limit, 1_000)
    .action(async (options: object, command: Command) => {
      const { ops } = await connect();
      const value = await ops<ToldBalance>(withQuery('/balance', options));
      print(command, { value, text: balanceText(value) });
    });
};
