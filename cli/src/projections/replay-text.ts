import { durationText } from '../outages/duration-text.ts';
import type { ToldReplay } from './followed-replay.ts';
import { phaseOf } from './replay-phase.ts';

const words: Readonly<Record<string, string>> = {
  planned: 'waits for a process that has time',
  building: 'is built',
  catching_up: 'catches up with what came meanwhile',
  verifying: 'is compared with what is live',
  switching: 'takes the place of what is live',
};

const number = (value: number): string => value.toLocaleString('en');

/** How it goes, in a line. */
export const progressText = (told: ToldReplay): string => {
  const { name, to_generation: to, state, events, total_events: total, seconds_left: left } = told;
  const of = total === null ? '' : ` of ${number(total)}`;
  const rate = told.events_per_second > 0 ? `, ${number(told.events_per_second)} a second` : '';
  const rest = left === null ? '' : `, about ${durationText(left)} left`;
  const trouble = told.error === null ? '' : `; it tries again: ${told.error}`;
  if (told.step) {
    const { name: what, unit, done, of: all } = phaseOf(told);
    return `${name} generation ${to} ${words[state] ?? state}: ${what}, ${number(done)} of ${number(all)} ${unit}${trouble}`;
  }
  return `${name} generation ${to} ${words[state] ?? state}: ${number(events)}${of} events${rate}${rest}${trouble}`;
};

/** What Ctrl-C leaves behind. */
export const leavingText = ({ kind, name }: ToldReplay): string =>
  `\nThe ${kind} of ${name} goes on without this command.\n` +
  `  see how it goes: popsvc projections watch ${name}\n` +
  `  end it:          popsvc projections cancel ${name}`;

/** That every event of the log is accounted for, and what became of them. */
export const accountText = (accounts: NonNullable<ToldReplay['accounts']>): string => {
  const sum = (key: 'in_log' | 'with_rows' | 'skipped' | 'without_rows') =>
    number(accounts.reduce((total, each) => total + each[key], 0));
  return (
    `The log was counted: ${sum('in_log')} events of ${accounts.length} types, all accounted for ` +
    `(${sum('with_rows')} made rows, ${sum('without_rows')} none of their own, ${sum('skipped')} were set aside).`
  );
};

/** How it ended, for people. */
export const endText = (told: ToldReplay): string => {
  const { name, kind, from_generation: from, to_generation: to, events, seconds, verified } = told;
  const stood = `${name} stood still for ${told.paused_seconds.toFixed(1)} s.`;
  if (kind === 'rollback') return `Readers of ${name} are back at generation ${to}; ${from} is kept. ${stood}`;
  const compared = verified ? ' It was compared with what was live: nothing differs.' : '';
  return (
    `Readers of ${name} see generation ${to}, built of ${number(events)} events in ${durationText(seconds)}.${compared} ${stood}\n` +
    `Generation ${from} is kept for a while: popsvc projections rollback ${name}`
  );
};

export const differenceTexts = ({ differences }: ToldReplay): readonly string[] =>
  differences.map(
    ({ table, network, day, rows_before: before, rows_after: after }) =>
      `${table}, network ${network}${day === null ? '' : `, ${day}`}: ${before} rows before, ${after} after` +
      (before === after ? ', of other content' : ''),
  );
