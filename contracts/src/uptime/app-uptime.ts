import { z } from 'zod';
import { Place } from '../envelope/index.ts';
import { Instant } from '../time/index.ts';
import { APP_STATES } from '../vocabulary/index.ts';

const seconds = z.int().min(0);

/** Uptime of an app on a device in a window (service.md 2.4, decisions 8). */
export const AppUptime = z
  .object({
    app: z.object({ code: z.string() }),
    device: Place,
    network: Place,
    site: Place,
    location: Place,
    window: z.object({
      from: Instant,
      to: Instant.describe('The requested end, or now if that is earlier.'),
      window_seconds: seconds.describe('to - from.'),
    }),
    summary: z.object({
      running_seconds: seconds.describe('Time covered by any interval, running or stopped.'),
      stopped_seconds: seconds.describe('The rest of the window: time without any interval, not graceful stops.'),
      uptime_pct: z.number().min(0).max(100).describe('running_seconds in percent of the window, 2 decimals.'),
      interval_count: z.int().min(0).describe('Interval records that overlap the window.'),
    }),
    current_status: z.object({
      status: z.enum(APP_STATES),
      since: Instant.describe('Start of the latest interval; of the window when there is none.'),
      hb_last_seen_at: Instant.nullable().describe('Last heartbeat of that interval; null when there is none.'),
      source: z.literal('heartbeat'),
    }),
  })
  .meta({ id: 'AppUptime' });
export type AppUptime = z.output<typeof AppUptime>;
