import { formatDuration, formatNumber } from '../output/format.ts';
import type { OpsSchema } from '../service-client/ops-client.ts';

export type Replay = OpsSchema<'Replay'>;

export interface ReplayPhase {
  readonly name: string;
  readonly unit: string;
  readonly done: number;
  readonly total: number;
  /** Speed, remaining time, or both, each after a separator; may be empty. */
  readonly pace: string;
}

const stepTexts: Readonly<Record<OpsSchema<'ReplayStep'>['name'], { readonly name: string; readonly unit: string }>> = {
  days: { name: 'deriving', unit: 'days' },
  rows: { name: 'comparing', unit: 'rows' },
};

export const describePhase = (replay: Replay): ReplayPhase => {
  const { state, step, events, total_events: totalEvents } = replay;
  const rate = replay.events_per_second > 0 ? ` | ${formatNumber(replay.events_per_second)}/s` : '';
  const rest = rate !== '' && replay.seconds_left !== null ? ` | ${formatDuration(replay.seconds_left)} left` : '';
  if (step) return { ...stepTexts[step.name], done: step.done, total: step.of, pace: step.name === 'days' ? rest : '' };
  return {
    name: state.replace('_', ' '),
    unit: 'events',
    done: events,
    total: Math.max(totalEvents ?? events, events),
    pace: rate + rest,
  };
};

const stateTexts: Readonly<Record<string, string>> = {
  planned: 'waits for a free process',
  building: 'is being built',
  catching_up: 'catches up with newer events',
  verifying: 'is being compared with the current tables',
  switching: 'replaces the current tables',
};

export const formatProgress = (replay: Replay): string => {
  const { name, to_generation: generation, state, events, total_events: total, seconds_left: left, error } = replay;
  const subject = `${name} generation ${generation} ${stateTexts[state] ?? state}`;
  const retry = error === null ? '' : `; retrying after an error: ${error}`;
  if (replay.step) {
    const phase = describePhase(replay);
    const rest = replay.step.name === 'days' && left !== null ? `, about ${formatDuration(left)} left` : '';
    return `${subject}: ${phase.name}, ${formatNumber(phase.done)} of ${formatNumber(phase.total)} ${phase.unit}${rest}${retry}`;
  }
  const ofTotal = total === null ? '' : ` of ${formatNumber(total)}`;
  const rate = replay.events_per_second > 0 ? `, ${formatNumber(replay.events_per_second)} a second` : '';
  const rest = left === null ? '' : `, about ${formatDuration(left)} left`;
  return `${subject}: ${formatNumber(events)}${ofTotal} events${rate}${rest}${retry}`;
};

export const formatSource = ({ name, source, source_reason: reason }: Replay): string =>
  `${name} is replayed from ${source === 'facts' ? 'the stored facts' : 'the log'}: ${reason ?? ''}.`;

export const formatInterruption = ({ kind, name }: Replay): string =>
  `\nThe ${kind} of ${name} continues without this command.\n` +
  `  show its progress: popsvc projections watch ${name}\n` +
  `  cancel it:         popsvc projections cancel ${name}`;

export const formatOutcome = (replay: Replay, isKept: boolean): string => {
  const { name, kind, from_generation: from, to_generation: to, events, seconds, verified } = replay;
  const pause = `${name} was paused for ${replay.paused_seconds.toFixed(1)} s.`;
  if (kind === 'rollback') return `Readers of ${name} see generation ${to} again; generation ${from} is kept. ${pause}`;
  const comparison = verified ? ' It equals the previous tables.' : '';
  return (
    `Readers of ${name} see generation ${to}, built from ${formatNumber(events)} ${replay.source === 'facts' ? 'facts and newer events' : 'events'} in ${formatDuration(seconds)}.${comparison} ${pause}` +
    (isKept ? `\nGeneration ${from} is kept for a while: popsvc projections rollback ${name}` : '')
  );
};

export const formatDifferences = ({ differences }: Replay): readonly string[] =>
  differences.map(
    ({ table, network, day, rows_before: before, rows_after: after, columns }) =>
      `${table}, network ${network}${day === null ? '' : `, ${day}`}: ${before} rows before, ${after} after` +
      (before === after ? `, with different content${columns ? ` of ${columns.join(', ')}` : ''}` : ''),
  );
