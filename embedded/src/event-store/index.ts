export { eventStoreEntry, type EventStoreNode, startEventStoreNode } from './node.ts';
export { findPeerUser } from './peer-users.ts';
