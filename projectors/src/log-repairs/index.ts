export { readLogRepairs } from './read-log-repairs.ts';
export { recordLogRepairs } from './record-log-repairs.ts';
