import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { streamPrefixes } from '@popsvc/contracts/events';
import { EventLogDamaged, type EventStore, openEventStore } from '@popsvc/platform/event-store';
import { judgeRefusal, type Verdict } from './damage-rounds.fixture.ts';
import type { Damage } from './damaged-files.fixture.ts';
import { startNode } from './engine-processes.fixture.ts';

/** The log in its order, and each stream. */
export type LogContent = Readonly<Record<string, readonly string[]>>;

const extraStream = 'pop-9.extra.20260820';

/** Reads all events, and each stream. */
export const readLog = async (store: EventStore): Promise<LogContent> => {
  const all: string[] = [];
  const streams = new Map<string, string[]>();
  const { signal } = new AbortController();
  const upTo = await store.readHeadPosition();
  for await (const item of store.subscribe({ after: 'start', prefixes: Object.values(streamPrefixes), upTo, signal })) {
    if (item.kind !== 'event') break;
    const { stream, position, revision, ...event } = item.event;
    if (stream === extraStream) continue;
    all.push(JSON.stringify([stream, String(position), String(revision), event]));
    streams.set(stream, []);
  }
  for (const [stream, events] of streams)
    for await (const { position, revision, ...event } of store.readStream(stream))
      events.push(JSON.stringify([stream, String(position), String(revision), event]));
  return { $all: all, ...Object.fromEntries(streams) };
};

const withNode = async <T>(dir: string, work: (store: EventStore) => Promise<T>): Promise<T> => {
  const node = await startNode(dir);
  const store = openEventStore({ url: `esdb://127.0.0.1:${node.port}?tls=false` });
  try {
    return await work(store);
  } finally {
    await store.close();
    await node.close();
  }
};

const appendOne = (store: EventStore) =>
  store.append(extraStream, [
    {
      id: randomUUID(),
      type: 'PlaysRecorded',
      data: { plays: [] },
      metadata: { schemaVersion: 1, receivedAt: new Date().toISOString(), network: 9, vendor: 'extra' },
    },
  ]);

/** Opens a damaged log twice, reads it whole each time, and appends in between. */
export const useDamagedLog = async (dataDir: string, damage: Damage, before: LogContent): Promise<Verdict> => {
  const dir = join(dataDir, 'event-store');
  const findDifference = async (store: EventStore, appended: bigint | undefined): Promise<string | undefined> => {
    const now = await readLog(store);
    const stream = [...new Set([...Object.keys(before), ...Object.keys(now)])].find(
      (name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]),
    );
    if (stream !== undefined)
      return `${stream}: ${now[stream]?.length ?? 0} instead of ${before[stream]?.length ?? 0} events`;
    if (appended === undefined) return undefined;
    const found = await store.readEventAt(appended);
    return found?.stream === extraStream ? undefined : `the event that was appended at ${appended} is lost`;
  };
  let position: bigint | undefined;
  try {
    for (const opening of ['first', 'second'])
      await withNode(dir, async (store) => {
        const difference = await findDifference(store, position);
        if (difference !== undefined) throw new Difference(`${opening} opening: ${difference}`);
        position = (await appendOne(store)).position;
      });
  } catch (error) {
    if (error instanceof Difference) return { outcome: 'silent', detail: error.message };
    const detail = error instanceof Error ? error.message : String(error);
    return error instanceof EventLogDamaged ? { outcome: 'reported', detail } : judgeRefusal(damage, detail);
  }
  return { outcome: 'harmless', detail: '' };
};

/** The log has other events than before the damage. */
class Difference extends Error {}
