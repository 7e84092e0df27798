export { appRecords } from './app-records.ts';
export { type ReadRuns, runsAround } from './runs-around.ts';
