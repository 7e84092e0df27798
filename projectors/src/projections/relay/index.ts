export { createBoard } from '../../run/board.ts';
export { relay, relayName, type RelayParts, relayReads } from './relay.ts';
export { relaying, type RelayingParts } from './relaying.ts';
