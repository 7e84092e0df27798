import { durationText } from '../outages/duration-text.ts';
import type { ToldReplay } from './followed-replay.ts';

/** What is done at a time, and how much of it. */
export interface Phase {
  readonly name: string;
  readonly unit: string;
  readonly done: number;
  readonly of: number;
  /** How fast, and for how long yet, as far as that is known. */
  readonly pace: string;
}

const steps: Readonly<Record<NonNullable<ToldReplay['step']>['name'], readonly [name: string, unit: string]>> = {
  rows: ['comparing', 'rows'],
  log: ['counting the log', 'events'],
};

/** Folding has a count of its own, and so has each of what is done besides. */
export const phaseOf = (told: ToldReplay): Phase => {
  const { state, step, events, total_events: total, events_per_second: rate, seconds_left: left } = told;
  if (step) {
    const [name, unit] = steps[step.name];
    return { name, unit, done: step.done, of: step.of, pace: '' };
  }
  const rest = left === null ? '' : ` | ${durationText(left)} left`;
  const pace = rate > 0 ? ` | ${rate.toLocaleString('en')}/s${rest}` : '';
  return { name: state.replace('_', ' '), unit: 'events', done: events, of: Math.max(total ?? events, events), pace };
};
