export { type Beat, type BeatRun, intervalsOf, joinRuns, runsOf } from './beat-runs.ts';
export { type IntervalRecord, silenceMs } from './interval-record.ts';
export { type IntervalVersion, supersedeInterval } from './supersede-interval.ts';
export { type Uptime, uptimeOf } from './uptime-of.ts';
