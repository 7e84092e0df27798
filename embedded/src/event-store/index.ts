import { fileURLToPath } from 'node:url';

export { type EventStoreNode, type EventStoreNodeOptions, startEventStoreNode } from './start-event-store-node.ts';

/** The process to start with `EVENT_STORE_DIR` and `EVENT_STORE_PORT`; it prints a ready line with its port. */
export const eventStoreEntry = fileURLToPath(new URL('./main.js', import.meta.url));
