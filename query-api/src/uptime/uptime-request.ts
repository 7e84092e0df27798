import type { Span } from '@popsvc/domain/spans';
import type { RouteRequest } from '@popsvc/platform/http';
import { z } from 'zod';
import { isDateOnly, parsePreciseInstant } from '../parameters/instants.ts';
import { QueryParameters, readPathId } from '../parameters/query-parameters.ts';

/** A request for the uptime of an app. */
export interface UptimeRequest {
  readonly deviceId: number;
  readonly appCode: string;
  /** The time window, which ends at `nowMs` at the latest. */
  readonly window: Span;
}

const windowEdge = (about: string) =>
  z.iso.datetime({ offset: true }).optional().describe(`${about} Write the plus sign of an offset as %2B.`);

export const uptimeQuerySchema = z.object({
  from: windowEdge("Start of the window; default: today's midnight in the service's own time zone."),
  to: windowEdge('End of the window; default and maximum: now.'),
});
const uptimeParameters = Object.keys(uptimeQuerySchema.shape);

/** Parses a request. Throws an INVALID_PARAM error with all problems. */
export const parseUptimeRequest = (
  { params, query }: Pick<RouteRequest, 'params' | 'query'>,
  nowMs: number,
): UptimeRequest => {
  const parameters = new QueryParameters(query, uptimeParameters);
  const deviceId = readPathId(parameters, 'deviceId', params['deviceId']);
  const from = readEdge(parameters, 'from') ?? startOfToday(nowMs);
  const to = Math.min(readEdge(parameters, 'to') ?? nowMs, nowMs);
  if (from >= to) {
    // Name the parameter that was sent. If only `to` was sent, it may be before the default of `from`.
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

/**
 * Returns the midnight at which today began in the time zone of the process. If a clock change skips midnight, that is the first
 * moment of the day.
 */
const startOfToday = (nowMs: number): number => new Date(nowMs).setHours(0, 0, 0, 0);
