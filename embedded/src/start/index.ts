export { StartConfig } from './config.ts';
export { dropRoutineLines } from './routine-lines.ts';
