export { publishLog } from './relay.ts';
export { runRelay } from './relay-process.ts';
