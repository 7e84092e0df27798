export { StartConfig } from './config.ts';
export { unlessRoutine } from './routine-lines.ts';
