export { readAppIntervals } from './app-intervals.ts';
export { type ReadRuns, readRunsAround } from './heartbeat-runs.ts';
export { parseUptimeRequest } from './uptime-request.ts';
