export { createStatusRegistry } from '../../engine/board.ts';
export { publishLog, relayName, type PublishLogDependencies, relayedStreams } from './relay.ts';
export { runRelay, type RelayDependencies } from './relay-process.ts';
