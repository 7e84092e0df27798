export { type AppHeartbeat, type HeartbeatRun, intervalsFromRuns, joinRuns, groupHeartbeats } from './beat-runs.ts';
export { type IntervalRecord, appSilenceMs } from './interval-record.ts';
export { type IntervalVersion, newerInterval } from './supersede-interval.ts';
export { type Uptime, computeUptime } from './uptime-of.ts';
