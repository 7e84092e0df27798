import { EventStoreDBClient, START, streamNameFilter } from '@eventstore/db-client';

/** Reads by the client alone what a projection reads; resolves at the event with the position. */
export const readLog = async (url: string, prefixes: readonly string[], upTo: bigint): Promise<void> => {
  const client = EventStoreDBClient.connectionString(url);
  const filter = streamNameFilter({ prefixes: [...prefixes] });
  const subscription = client.subscribeToAll({ fromPosition: START, filter });
  for await (const { event } of subscription) if (event && event.position.commit >= upTo) break;
  await subscription.unsubscribe();
  await client.dispose();
};
