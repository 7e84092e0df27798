export { type EventStoreNode, type EventStoreNodeOptions, startEventStoreNode } from './start-event-store-node.ts';
export {
  type SpawnEventStoreOptions,
  type SpawnedEventStore,
  eventStoreMain,
  spawnEventStore,
} from './spawn-event-store.ts';
