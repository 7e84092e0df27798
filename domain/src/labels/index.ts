export { toLocalTime } from './in-zone.ts';
export { type TimeLabels, timeLabels, formatLocalTimestamp } from './labels.ts';
