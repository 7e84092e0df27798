import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestEventStore, startTestEventStore } from '../support/engines.ts';
import { connectTo, someEvents } from './store.fixture.ts';

/** The files of the log, oldest first. */
export const segments = (node: TestEventStore): string[] =>
  readdirSync(node.dir)
    .filter((name) => name.endsWith('.log'))
    .sort()
    .map((name) => join(node.dir, name));

/** A node with 20 appends of 5 events, stopped. */
export const filledNode = async (env: Record<string, string> = {}): Promise<TestEventStore> => {
  const node = await startTestEventStore(env);
  const client = connectTo(node.url);
  for (let n = 0; n < 20; n += 1) await client.appendToStream('s', someEvents(5));
  await client.dispose();
  await node.stop();
  return node;
};
