import { randomUUID } from 'node:crypto';
import { DetectionRecorded, intakeStream, PopRecorded, registryStream } from '@popsvc/contracts/events';
import { RegistryFile } from '@popsvc/contracts/registry';
import { emptyRegistry, planRegistry } from '@popsvc/domain/registry';
import type { EventStore, NewEvent } from '@popsvc/platform/event-store';
import { monthBatches, type Month } from './month.ts';
import { detection, play } from './plays.ts';
import { network, registry, vendor } from './network.ts';

const appendSize = 500;

/** Creates an event of the benchmark's vendor. */
export const newEvent = (type: string, data: unknown): NewEvent => ({
  id: randomUUID(),
  type,
  data,
  metadata: { schemaVersion: 1, receivedAt: new Date().toISOString(), network, vendor },
});

/** Appends the events that register the benchmark's networks. Resolves with the last event's position. */
export const fillRegistry = async (store: EventStore): Promise<bigint> => {
  const { changes } = planRegistry(emptyRegistry(), RegistryFile.parse(registry), { nowMs: Date.now() });
  let position = 0n;
  for (const { kind, key, type, data } of changes)
    ({ position } = await store.append(registryStream(kind, key), [newEvent(type, data)]));
  return position;
};

/**
 * Appends `events` events and resolves with the last one's position. Without `withPeople`, all events are plays. With
 * `withPeople`, every second play has a detection. Each batch of plays is followed by its detections, because devices send them
 * in this order.
 */
export const fillPlays = async (store: EventStore, events: number, withPeople: boolean): Promise<bigint> => {
  const [plays, people] = [
    intakeStream('pop', network, vendor, Date.now()),
    intakeStream('detection', network, vendor, Date.now()),
  ];
  const size = withPeople ? (appendSize / 3) * 2 : appendSize;
  let position = 0n;
  for (let [appended, index] = [0, 0]; appended < events;) {
    const indexes = Array.from({ length: Math.min(Math.floor(size), events - appended) }, () => index++);
    const seen = withPeople ? indexes.filter((at) => at % 2 === 0).slice(0, events - appended - indexes.length) : [];
    ({ position } = await store.append(
      plays,
      indexes.map((at) => newEvent(PopRecorded.type, play(at))),
    ));
    if (seen.length > 0)
      ({ position } = await store.append(
        people,
        seen.map((at) => newEvent(DetectionRecorded.type, detection(at))),
      ));
    appended += indexes.length + seen.length;
  }
  return position;
};

/** Appends a month's plays and detections. Resolves with the last event's position. */
export const fillMonth = async (store: EventStore, month: Month): Promise<bigint> => {
  const append = (kind: 'pop' | 'detection', type: string, events: readonly unknown[]) =>
    store.append(
      intakeStream(kind, network, vendor, Date.now()),
      events.map((data) => newEvent(type, data)),
    );
  let position = 0n;
  for (const { plays, people } of monthBatches(month, appendSize)) {
    await append('pop', PopRecorded.type, plays);
    ({ position } = await append('detection', DetectionRecorded.type, people));
  }
  return position;
};
