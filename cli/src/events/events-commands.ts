import type { Command } from 'commander';
import { parseInstant, parseNetworkId } from '../option-values.ts';
import { afterOption, limitOption, nextPageNote } from '../output/pages.ts';
import { printResult } from '../output/print.ts';
import { type Connect, dataOf, type OpsQuery } from '../service-client/ops-client.ts';
import type { OpsCommand } from '../service-client/ops-command.ts';
import {
  formatBalance,
  formatConflict,
  formatEvent,
  formatQuarantine,
  formatRefusals,
  formatUnknownReferences,
} from './event-texts.ts';
import { addParkedCommands } from './parked-commands.ts';

const withVendorOptions = <Kind extends Command>(command: Kind): Kind =>
  command
    .option('--network <id>', 'only events of this network', parseNetworkId)
    .option('--vendor <code>', 'only events of this vendor');

interface QuarantineOptions extends Omit<NonNullable<OpsQuery<'/ops/v1/quarantine'>>, 'schema_version'> {
  readonly schemaVersion?: string;
}

export const addEventsCommands = (program: OpsCommand, connect: Connect): void => {
  const group = program.command('events').description('the outcome of the events that vendors sent');

  withVendorOptions(group.command('show'))
    .description('an event: each receipt with its content, its report rows, and the balance of the hours of receipt')
    .argument('<event-id>', "the vendor's id of the event; after -- if it begins with a dash")
    .request(async (ops, id: string, options: Omit<OpsQuery<'/ops/v1/events'>, 'id'>) => {
      const value = await dataOf(ops.GET('/ops/v1/events', { params: { query: { id, ...options } } }));
      return { value, text: formatEvent(value) };
    });

  withVendorOptions(group.command('conflicts'))
    .description('ids that were sent again with different content, newest first, with the fields that differ')
    .option('--since <instant>', 'received since the hour of this instant; default: 31 days ago', parseInstant)
    .addOption(limitOption('conflicts', 20))
    .addOption(afterOption())
    .request(async (ops, query: OpsQuery<'/ops/v1/conflicts'>) => {
      const value = await dataOf(ops.GET('/ops/v1/conflicts', { params: { query } }));
      const text = value.conflicts.map(formatConflict).join('\n\n') || `There are no conflicts since ${value.since}.`;
      return { value, text, note: nextPageNote(value, 'There are older events') };
    });

  const quarantine = withVendorOptions(group.command('quarantine'))
    .description('events that wait for a mapping or for the registry: their number by reason, then the newest')
    .option('--schema-version <name>', "only events in this schema of the vendor's own")
    .addOption(limitOption('events', 20))
    .addOption(afterOption())
    .request(async (ops, { schemaVersion, ...options }: QuarantineOptions) => {
      const query = { ...options, ...(schemaVersion !== undefined && { schema_version: schemaVersion }) };
      const value = await dataOf(ops.GET('/ops/v1/quarantine', { params: { query } }));
      return { value, text: formatQuarantine(value), note: nextPageNote(value, 'There are older events') };
    });
  addRetryQuarantineCommand(quarantine, connect);

  addParkedCommands(group, connect);

  withVendorOptions(group.command('unknown-references'))
    .description('ids in plays that the registry does not contain, most frequent first')
    .option('--from <instant>', 'plays that began at or after this time; default: 7 days before the end', parseInstant)
    .option('--to <instant>', 'plays that began before this time; default: no limit', parseInstant)
    .addOption(limitOption('ids', 100))
    .request(async (ops, query: OpsQuery<'/ops/v1/unknown-references'>) => {
      const value = await dataOf(ops.GET('/ops/v1/unknown-references', { params: { query } }));
      return {
        value,
        text: formatUnknownReferences(value),
        note: value.is_truncated ? 'There are more ids: use a higher --limit, --network or --vendor.' : undefined,
      };
    });

  withVendorOptions(group.command('refusals'))
    .description('refused requests by vendor and error code, most events first, with the newest reason')
    .option('--since <instant>', 'first hour; default: 24 hours ago', parseInstant)
    .addOption(limitOption('lines', 100))
    .request(async (ops, query: OpsQuery<'/ops/v1/refusals'>) => {
      const value = await dataOf(ops.GET('/ops/v1/refusals', { params: { query } }));
      return {
        value,
        text: formatRefusals(value),
        note: value.is_truncated ? 'There are more: use a higher --limit, --network or --vendor.' : undefined,
      };
    });

  withVendorOptions(group.command('balance'))
    .description('received = stored + duplicate + conflict + quarantined, by hour of receipt and in total')
    .option('--since <instant>', 'first hour; default: a day before the end', parseInstant)
    .option('--until <instant>', 'end of the last hour; default: now', parseInstant)
    .addOption(limitOption('hours; the last line is the sum of all hours', 1_000))
    .request(async (ops, query: OpsQuery<'/ops/v1/balance'>) => {
      const value = await dataOf(ops.GET('/ops/v1/balance', { params: { query } }));
      return { value, text: formatBalance(value) };
    });
};

/** Reads the options of its parent command. */
const addRetryQuarantineCommand = (quarantine: Command, connect: Connect): void => {
  quarantine
    .command('retry')
    .description('process quarantined events again; needs --network, --vendor and --schema-version')
    .action(async (_: object, command: Command) => {
      const { network, vendor, schemaVersion } = command.optsWithGlobals<QuarantineOptions>();
      if (network === undefined || vendor === undefined || schemaVersion === undefined)
        command.error('error: --network, --vendor and --schema-version are needed');
      const { ops } = await connect();
      const body = { network, vendor, schema_version: schemaVersion };
      const value = await dataOf(ops.POST('/ops/v1/quarantine/retry', { body }));
      const text = `${value.waiting} quarantined events of ${vendor} ${schemaVersion} are processed again.`;
      printResult(command, { value, text });
    });
};
