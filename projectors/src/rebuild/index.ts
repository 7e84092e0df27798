export type { Build, Building, BuildParts, BuildProgress, Hands } from './build.ts';
export { buildGeneration } from './build-generation.ts';
export { countInProcess } from './count-in-process.ts';
export { type CountLog, countLog, type LogCounts } from './count-log.ts';
export { followClosely } from './follow-closely.ts';
export { inProcesses } from './in-processes.ts';
export { inThisProcess } from './in-this-process.ts';
