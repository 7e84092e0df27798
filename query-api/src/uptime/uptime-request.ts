import type { Span } from '@popsvc/domain/spans';
import type { RouteRequest } from '@popsvc/platform/http';
import { z } from 'zod';
import { isDateOnly, parsePreciseInstant } from '../parameters/instants.ts';
import { QueryParameters, readPathId } from '../parameters/query-parameters.ts';

/** The request of the uptime of an app (service.md 4.5, decisions 8.2). */
export interface UptimeRequest {
  readonly deviceId: number;
  readonly appCode: string;
  /** Ends at `nowMs` at the latest. */
  readonly window: Span;
}

const windowEdge = (about: string) =>
  z.iso.datetime({ offset: true }).optional().describe(`${about} Write the plus sign of an offset as %2B.`);

export const uptimeQuerySchema = z.object({
  from: windowEdge("Start of the window; default: today's midnight in the service's own time zone."),
  to: windowEdge('End of the window; default and maximum: now.'),
});
const uptimeParameters = Object.keys(uptimeQuerySchema.shape);

/** Throws INVALID_PARAM with every problem. */
export const parseUptimeRequest = (
  { params, query }: Pick<RouteRequest, 'params' | 'query'>,
  nowMs: number,
): UptimeRequest => {
  const parameters = new QueryParameters(query, uptimeParameters);
  const deviceId = readPathId(parameters, 'deviceId', params['deviceId']);
  const from = readEdge(parameters, 'from') ?? startOfToday(nowMs);
  const to = Math.min(readEdge(parameters, 'to') ?? nowMs, nowMs);
  if (from >= to) {
    // Names the parameter that was sent: the default start may be later than a given end.
    const name = parameters.has('from') || !parameters.has('to') ? 'from' : 'to';
    parameters.reject(name, 'from must be before to, and before now', undefined);
  }
  parameters.throwIfInvalid();
  return { deviceId, appCode: params['appCode'] ?? '', window: { from, to } };
};

const readEdge = (parameters: QueryParameters, name: 'from' | 'to'): number | undefined => {
  const text = parameters.single(name);
  if (text === undefined) return undefined;
  const message = isDateOnly(text)
    ? `${name} must include a time, not a date alone`
    : `${name} must be an ISO 8601 datetime with Z or an offset (a plus sign is written %2B)`;
  return parsePreciseInstant(text)?.ms ?? parameters.reject<number | undefined>(name, message, undefined);
};

/** Midnight in the time zone of the process; on a day without midnight, the first instant of the day. */
const startOfToday = (nowMs: number): number => new Date(nowMs).setHours(0, 0, 0, 0);
