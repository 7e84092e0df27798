export {
  type AppHeartbeat,
  appSilenceMs,
  type HeartbeatRun,
  type IntervalRecord,
  intervalsFromRuns,
  joinRuns,
} from './app-intervals.ts';
export { computeUptime, type Uptime } from './uptime.ts';
