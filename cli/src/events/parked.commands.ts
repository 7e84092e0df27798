import type { Command } from 'commander';
import { columns } from '../program/columns.ts';
import type { Connect } from '../program/connect.ts';
import { position, wholeNumber } from '../program/option-values.ts';
import { print, remark } from '../program/print.ts';
import { withQuery } from '../service-client/with-query.ts';

interface ToldParked {
  readonly projection: string;
  readonly position: string;
  readonly error: string;
  readonly raw: string;
}

interface Listed {
  readonly parked: readonly ToldParked[];
  readonly next_cursor: string | null;
}

interface Decided {
  readonly projection: string;
  readonly events: number;
}

interface Which {
  readonly position?: readonly string[];
  readonly all?: true;
}

const fields = ['projection', 'generation', 'position', 'state', 'attempts', 'parked_at', 'type', 'stream', 'error'];
const several = (text: string, others: readonly string[] = []): string[] => [...others, position(text)];

const whichOf = (command: Command): Command =>
  command
    .argument('<projection>', 'as `projections list` tells it')
    .option('--position <position>', 'the event there; may be given several times', several)
    .option('--all', 'everything it has parked');

/** What is sent; neither or both is wrong usage. */
const asked = (command: Command, projection: string, { position: positions, all, ...more }: Which): object => {
  if ((positions === undefined) === (all === undefined)) command.error('error: name --position or --all');
  return { projection, ...(positions ? { positions } : { all }), ...more };
};

const count = (events: number): string => (events === 1 ? '1 event' : `${events} events`);

/** `parked` of the group `events`. */
export const parkedCommands = (events: Command, connect: Connect): void => {
  const group = events.command('parked').description('events that could not be projected and were set aside');

  group
    .command('list')
    .description('which, why, and how often they were tried, in the order of the log')
    .argument('[projection]', 'of this one')
    .option('--state <state>', 'parked or discarded')
    .option('--raw', 'with what they hold')
    .option('--limit <n>', 'so many at most', wholeNumber(1, 1_000), 100)
    .option('--cursor <cursor>', 'more, from where the list before ended')
    .action(async (projection: string | undefined, options: { raw?: true }, command: Command) => {
      const { raw, ...wanted } = options;
      const { ops } = await connect();
      const value = await ops<Listed>(withQuery('/parked', { projection, ...wanted }));
      const text = columns(value.parked, fields, 'Nothing is parked.');
      const contents = raw ? value.parked.map((event) => `\n${event.projection} ${event.position}\n${event.raw}`) : [];
      print(command, { value, text: [text, ...contents].join('\n') });
      if (value.next_cursor !== null) remark(`There are more: --cursor ${value.next_cursor}`);
    });

  whichOf(group.command('retry'))
    .description('has them projected; of a stream whose order matters all that is parked')
    .action(async (projection: string, options: Which, command: Command) => {
      const body = asked(command, projection, options);
      const { ops } = await connect();
      const value = await ops<Decided>('/parked/retry', { method: 'POST', body });
      const text = `${count(value.events)} of ${projection} will be tried again; events parked list tells what is left.`;
      print(command, { value, text });
    });

  whichOf(group.command('discard'))
    .description('has them passed over for good, by every generation that is built later too')
    .requiredOption('--reason <text>', 'kept with them')
    .action(async (projection: string, options: Which & { reason: string }, command: Command) => {
      const body = asked(command, projection, options);
      const { ops } = await connect();
      const value = await ops<Decided>('/parked/discard', { method: 'POST', body });
      print(command, { value, text: `${count(value.events)} will be passed over by ${projection}.` });
    });
};
