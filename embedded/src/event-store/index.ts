export { eventStoreEntry, type EventStoreNode, startEventStoreNode } from './node.ts';
