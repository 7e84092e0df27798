import type { Span } from '@popsvc/domain/spans';
import type { RouteRequest } from '@popsvc/platform/http';
import { isDateOnly, momentOf } from './moment.ts';
import { Parameters } from './parameters.ts';
import { uptimeQuerySchema } from './status-schemas.ts';
import { idOf } from './whole-number.ts';

/** Whose uptime is asked for, and in which window (service.md 4.5, decisions 8.2). */
export interface UptimeAsked {
  readonly deviceId: number;
  readonly appCode: string;
  /** Ends no later than now. */
  readonly window: Span;
}

const known = Object.keys(uptimeQuerySchema.shape);

export const uptimeAsked = ({ params, query }: Pick<RouteRequest, 'params' | 'query'>, nowMs: number): UptimeAsked => {
  const parameters = new Parameters(query, known);
  const deviceId = idOf(parameters, 'deviceId', params['deviceId'] ?? '');
  const from = edgeOf(parameters, 'from') ?? startOfToday(nowMs);
  const to = Math.min(edgeOf(parameters, 'to') ?? nowMs, nowMs);
  // The default start may lie after an end that is given: then that is what is wrong.
  if (from >= to)
    parameters.refuse(
      parameters.has('from') || !parameters.has('to') ? 'from' : 'to',
      'from must be before to, and before now',
      undefined,
    );
  parameters.settle();
  return { deviceId, appCode: params['appCode'] ?? '', window: { from, to } };
};

const edgeOf = (parameters: Parameters, name: 'from' | 'to'): number | undefined => {
  const text = parameters.text(name);
  if (text === undefined) return undefined;
  const why = isDateOnly(text)
    ? `${name} must include a time, not a date alone`
    : `${name} must be an ISO 8601 datetime with Z or an offset (a plus sign is written %2B)`;
  return momentOf(text)?.ms ?? parameters.refuse<number | undefined>(name, why, undefined);
};

/** Midnight in the time zone of this process; where there is none on this day, the first instant of the day. */
const startOfToday = (nowMs: number): number => new Date(nowMs).setHours(0, 0, 0, 0);
