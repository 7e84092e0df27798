export { createStatusRegistry } from '../../engine/projection-status.ts';
export { publishLog, relayName, type PublishLogDependencies, relayedStreams } from './relay.ts';
export { runRelay, type RelayDependencies } from './relay-process.ts';
