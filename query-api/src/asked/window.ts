import { reportLimits } from '@popsvc/contracts/responses';
import { isBefore, isDateOnly, midnightOf, momentOf, type Moment } from './moment.ts';
import type { Parameters } from './parameters.ts';

/** From its beginning until before its end. */
export interface Window {
  readonly from: Moment;
  readonly to: Moment;
}

const { longestDays } = reportLimits;
const longestMs = longestDays * 24 * 60 * 60 * 1_000;
const beginning: Moment = { ms: 0, beyondNs: 0 };
const nowhere: Window = { from: beginning, to: beginning };

/** `dates`: whether a date alone stands for its midnight in UTC. */
export const windowOf = (parameters: Parameters, dates: boolean): Window => {
  const from = edgeOf(parameters, 'from', dates);
  const to = edgeOf(parameters, 'to', dates);
  if (!from || !to) return nowhere;
  if (!isBefore(from, to)) parameters.refuse('from', 'from must be before to', from);
  else if (isBefore({ ...from, ms: from.ms + longestMs }, to))
    parameters.refuse('to', `the window between from and to must be at most ${longestDays} days`, to);
  return { from, to };
};

const edgeOf = (parameters: Parameters, name: 'from' | 'to', dates: boolean): Moment | undefined => {
  const text = parameters.text(name);
  const edge = text === undefined ? undefined : momentOrDate(text, dates);
  if (!edge) parameters.refuse(name, whyNot(name, text, dates), undefined);
  return edge;
};

const momentOrDate = (text: string, dates: boolean): Moment | undefined =>
  dates && isDateOnly(text) ? midnightOf(text) : momentOf(text);

const whyNot = (name: string, text: string | undefined, dates: boolean): string => {
  if (text === undefined) return `${name} is required`;
  if (isDateOnly(text) && !dates) return `${name} must include a time, not a date alone`;
  return `${name} must be an ISO 8601 ${dates ? 'date or ' : ''}datetime with Z or an offset (a plus sign is written %2B)`;
};
