import type { Heartbeat } from '@popsvc/contracts/commands';
import type { HeartbeatRecorded } from '@popsvc/contracts/events';
import { toUtcInstant } from '../plays/utc.ts';

/** A heartbeat as the log keeps it: its instant in UTC with milliseconds, the state of an app written out. */
export const toHeartbeatRecorded = ({ at, ...heartbeat }: Heartbeat): HeartbeatRecorded => ({
  ...heartbeat,
  ...(heartbeat.appCode !== undefined && { state: heartbeat.state ?? 'running' }),
  at: toUtcInstant(at),
});
