import { randomUUID } from 'node:crypto';
import { DetectionsRecorded, intakeStream, PlaysRecorded, registryStream } from '@popsvc/contracts/events';
import { RegistryFile } from '@popsvc/contracts/registry';
import { emptyRegistry, planRegistry } from '@popsvc/domain/registry';
import type { EventStore, NewEvent } from '@popsvc/platform/event-store';
import { monthBatches, type Month } from './month.ts';
import { detection, play } from './plays.ts';
import { network, registry, vendor } from './network.ts';

/** Number of plays in a request of a vendor. */
const requestSize = 100;

/** Creates an event of a vendor; default: the benchmark's. */
export const newEvent = (type: string, data: unknown, from = { network, vendor }): NewEvent => ({
  id: randomUUID(),
  type,
  data,
  metadata: { schemaVersion: 1, receivedAt: new Date().toISOString(), ...from },
});

/** Appends the events that register a file; default: the benchmark's networks. Resolves with the last event's position. */
export const fillRegistry = async (store: EventStore, file: object = registry): Promise<bigint> => {
  const { changes } = planRegistry(emptyRegistry(), RegistryFile.parse(file), { nowMs: Date.now() });
  let position = 0n;
  for (const { kind, key, type, data } of changes)
    ({ position } = await store.append(registryStream(kind, key), [newEvent(type, data)]));
  return position;
};

/**
 * Appends `items` plays and detections and resolves with the last event's position. Without `withPeople`, all items are plays. With
 * `withPeople`, every second play has a detection. Each event of plays is followed by one of its detections, because devices send
 * them in this order.
 */
export const fillPlays = async (store: EventStore, items: number, withPeople: boolean): Promise<bigint> => {
  const [plays, people] = [
    intakeStream('pop', network, vendor, Date.now()),
    intakeStream('detection', network, vendor, Date.now()),
  ];
  let position = 0n;
  for (let [appended, index] = [0, 0]; appended < items;) {
    const indexes = Array.from({ length: Math.min(requestSize, items - appended) }, () => index++);
    const seen = withPeople ? indexes.filter((at) => at % 2 === 0).slice(0, items - appended - indexes.length) : [];
    const events = [newEvent(PlaysRecorded.type, { plays: indexes.map((at) => play(at)) })];
    ({ position } = await store.append(plays, events));
    if (seen.length > 0) {
      const detections = seen.map((at) => detection(at));
      ({ position } = await store.append(people, [newEvent(DetectionsRecorded.type, { detections })]));
    }
    appended += indexes.length + seen.length;
  }
  return position;
};

/** Appends a month's plays and detections. Resolves with the last event's position. */
export const fillMonth = async (store: EventStore, month: Month): Promise<bigint> => {
  const append = (kind: 'pop' | 'detection', type: string, data: object) =>
    store.append(intakeStream(kind, network, vendor, Date.now()), [newEvent(type, data)]);
  let position = 0n;
  for (const { plays, people } of monthBatches(month, requestSize)) {
    await append('pop', PlaysRecorded.type, { plays });
    ({ position } = await append('detection', DetectionsRecorded.type, { detections: people }));
  }
  return position;
};
