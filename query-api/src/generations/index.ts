export { rejectIncompleteTables } from './incomplete-tables.ts';
export { createProgressReader } from './live-generations.ts';
