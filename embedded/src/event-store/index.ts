export { eventStoreEntry, type EventStoreNode, type EventStoreNodeOptions, startEventStoreNode } from './node.ts';
