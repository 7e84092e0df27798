import { z } from 'zod';
import { Instant } from '../time/index.ts';
import { APP_STATES, STATUSES } from '../vocabulary/index.ts';
import { Place } from './envelope.ts';

export const DeviceStatus = z
  .object({
    id: z.int().min(1).describe('Id in the registry, as in heartbeats.'),
    name: z.string().describe('Current name in the registry.'),
    network: Place,
    site: Place,
    location: Place,
    status: z.enum(STATUSES).describe('online: a heartbeat was received within the last 300 s.'),
    last_active_timestamp: Instant.nullable().describe(
      'When the service received the last heartbeat; null if there was none. Heartbeats that arrived more than 300 s after they were made do not count.',
    ),
    source: z.literal('heartbeat').describe('Source of the status.'),
  })
  .meta({ id: 'DeviceStatus', description: 'The status of a device.' });
export type DeviceStatus = z.output<typeof DeviceStatus>;

export const FeederStatus = DeviceStatus.extend({ device: Place }).meta({
  id: 'FeederStatus',
  description: 'The status of a feeder, with its device.',
});
export type FeederStatus = z.output<typeof FeederStatus>;

const seconds = z.int().min(0);

export const AppUptime = z
  .object({
    app: z
      .object({ code: z.string().describe('As in the path; it may be unregistered.') })
      .describe('The requested app.'),
    device: Place,
    network: Place,
    site: Place,
    location: Place,
    window: z
      .object({
        from: Instant.describe('The requested start, or its default.'),
        to: Instant.describe('The requested end, or now if that is earlier.'),
        window_seconds: seconds.describe('to - from.'),
      })
      .describe('The time range of the summary.'),
    summary: z
      .object({
        running_seconds: seconds.describe('Time covered by any interval, running or stopped.'),
        stopped_seconds: seconds.describe('The rest of the window: time without any interval, not graceful stops.'),
        uptime_pct: z.number().min(0).max(100).describe('running_seconds in percent of the window, 2 decimals.'),
        interval_count: z.int().min(0).describe('Interval records that overlap the window.'),
      })
      .describe('Totals of the window.'),
    current_status: z
      .object({
        status: z
          .enum(APP_STATES)
          .describe(
            'State of the latest interval that overlaps the window, even if it has ended; `stopped` without one.',
          ),
        since: Instant.describe('Start of that interval; of the window when there is none.'),
        hb_last_seen_at: Instant.nullable().describe('Last heartbeat of that interval; null when there is none.'),
        source: z.literal('heartbeat').describe('Source of the status.'),
      })
      .describe('The latest state of the app in the window.'),
  })
  .meta({ id: 'AppUptime', description: 'The uptime of an app on a device in a time window.' });
export type AppUptime = z.output<typeof AppUptime>;
