import type { Command } from 'commander';
import { parseItemPosition } from '../option-values.ts';
import { formatTable } from '../output/format.ts';
import { afterOption, limitOption, nextPageNote } from '../output/pages.ts';
import { printResult } from '../output/print.ts';
import { type Connect, dataOf, type OpsQuery, type OpsRequest } from '../service-client/ops-client.ts';
import type { OpsCommand } from '../service-client/ops-command.ts';

type ParkedProjection = OpsRequest<'/ops/v1/parked/retry'>['projection'];

interface ListOptions extends Omit<NonNullable<OpsQuery<'/ops/v1/parked'>>, 'projection'> {
  readonly raw?: true;
}

interface SelectOptions {
  readonly position?: string[];
  readonly all?: true;
}

const listFields = [
  'projection',
  'generation',
  'position',
  'state',
  'attempts',
  'parked_at',
  'type',
  'stream',
  'error',
];

const collectPositions = (text: string, previous: readonly string[] = []): string[] => [
  ...previous,
  parseItemPosition(text),
];

const withSelectOptions = <Kind extends Command>(command: Kind): Kind =>
  command
    .argument('<projection>', 'name shown by projections list')
    .option('--position <position>', 'the item at this position, as listed; may be repeated', collectPositions)
    .option('--all', 'all parked events of the projection');

const selectEvents = (command: Command, projection: ParkedProjection, { position: positions, all }: SelectOptions) => {
  if ((positions === undefined) === (all === undefined)) command.error('error: name --position or --all');
  return { projection, ...(positions && { positions }), ...(all && { all }) };
};

const formatCount = (events: number): string => (events === 1 ? '1 event' : `${events} events`);

export const addParkedCommands = (events: OpsCommand, connect: Connect): void => {
  const group = events.command('parked').description('events that could not be projected and were skipped');

  group
    .command('list')
    .description('parked events in log order, with the reason and the number of attempts')
    .argument('[projection]', 'only events of this projection')
    .option('--state <state>', 'only events in this state: parked or discarded')
    .option('--raw', 'also print the content of the events')
    .addOption(limitOption('events', 100))
    .addOption(afterOption())
    .request(async (ops, projection: ParkedProjection | undefined, { raw, ...options }: ListOptions) => {
      const query = { ...options, ...(projection !== undefined && { projection }) };
      const value = await dataOf(ops.GET('/ops/v1/parked', { params: { query } }));
      const table = formatTable(value.parked, listFields, 'No events are parked.');
      const contents = raw ? value.parked.map((event) => `\n${event.projection} ${event.position}\n${event.raw}`) : [];
      return { value, text: [table, ...contents].join('\n'), note: nextPageNote(value, 'There are more events') };
    });

  withSelectOptions(group.command('retry'))
    .description('project parked events again')
    .action(async (projection: ParkedProjection, options: SelectOptions, command: Command) => {
      const body = selectEvents(command, projection, options);
      const { ops } = await connect();
      const value = await dataOf(ops.POST('/ops/v1/parked/retry', { body }));
      const text = `${formatCount(value.events)} of ${projection} will be retried; events parked list shows the result.`;
      printResult(command, { value, text });
    });

  withSelectOptions(group.command('discard'))
    .description('skip events permanently, also in later replays: parked ones, or one at which a projection stops')
    .requiredOption('--reason <text>', 'stored with the events')
    .action(async (projection: ParkedProjection, options: SelectOptions & { reason: string }, command: Command) => {
      const body = { ...selectEvents(command, projection, options), reason: options.reason };
      const { ops } = await connect();
      const value = await dataOf(ops.POST('/ops/v1/parked/discard', { body }));
      printResult(command, { value, text: `${projection} will skip ${formatCount(value.events)}.` });
    });
};
