export { publishLog, runRelay } from './relay.ts';
