export { type BadRow, type ImportCounts, pushRows } from './push-rows.ts';
export { type NumberedRow, readDetections, readPlayout } from './read-files.ts';
export { resolveSender } from './resolve-sender.ts';
