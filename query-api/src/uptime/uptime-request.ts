import { invalidParam } from '@popsvc/contracts/errors';
import type { Span } from '@popsvc/domain/spans';
import { idParameter, parseParameters, type RouteRequest } from '@popsvc/http-kit/server';
import { z } from 'zod';
import { windowEdge } from '../parameters/time-window.ts';
import { maxIntervals } from './app-intervals.ts';

export interface UptimeRequest {
  readonly deviceId: number;
  readonly appCode: string;
  /** Ends now at the latest. */
  readonly window: Span;
}

export const uptimeParameters = {
  params: z.object({
    deviceId: idParameter.describe('The device.'),
    appCode: z.string().describe('The app, percent-encoded if necessary.'),
  }),
  query: z.strictObject({
    from: windowEdge(
      "Start of the window, with a time; default: today's midnight in the service's own time zone. " +
        `The window may have any length, but at most ${maxIntervals} intervals.`,
    ).optional(),
    to: windowEdge('End of the window, with a time; default and maximum: now.').optional(),
  }),
};

/** Throws INVALID_PARAM. */
export const parseUptimeRequest = (request: Pick<RouteRequest, 'params' | 'query'>, nowMs: number): UptimeRequest => {
  const { params, query } = parseParameters(uptimeParameters, request);
  // At midnight, the default is the day that has ended, because the window must not be empty.
  const from = query.from?.ms ?? startOfToday(nowMs - 1);
  const to = Math.min(query.to?.ms ?? nowMs, nowMs);
  if (from >= to)
    throw query.from
      ? invalidParam('from', 'from must be before to, and before now')
      : invalidParam('to', 'to must be after the start of today if from is absent');
  return { ...params, window: { from, to } };
};

/** In the time zone of the process. If a clock change skips midnight, the first moment after it. */
const startOfToday = (nowMs: number): number => new Date(nowMs).setHours(0, 0, 0, 0);
