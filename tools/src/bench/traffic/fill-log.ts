import { randomUUID } from 'node:crypto';
import { DetectionRecorded, intakeStream, PopRecorded, registryStream } from '@popsvc/contracts/events';
import { RegistryFile } from '@popsvc/contracts/registry';
import { emptyRegistry, planRegistry } from '@popsvc/domain/registry';
import type { EventStore, NewEvent } from '@popsvc/platform/event-store';
import { splitMonth, type Month } from './month.ts';
import { detection, play } from './plays.ts';
import { network, registry, vendor } from './registry.ts';

const appendSize = 500;

/** An event of the standard vendor. */
export const event = (type: string, data: unknown): NewEvent => ({
  id: randomUUID(),
  type,
  data,
  metadata: { schemaVersion: 1, receivedAt: new Date().toISOString(), network, vendor },
});

/** Tells the log of the network; resolves with the position of the last event. */
export const fillRegistry = async (store: EventStore): Promise<bigint> => {
  const { changes } = planRegistry(emptyRegistry(), RegistryFile.parse(registry), { nowMs: Date.now() });
  let position = 0n;
  for (const { kind, key, type, data } of changes)
    ({ position } = await store.append(registryStream(kind, key), [event(type, data)]));
  return position;
};

/**
 * Tells the log of so many events: plays alone, or a person at every second play; resolves with the position of the last.
 * People come with the plays they stood at, as devices send them.
 */
export const fillPlays = async (store: EventStore, events: number, withPeople: boolean): Promise<bigint> => {
  const [plays, people] = [
    intakeStream('pop', network, vendor, Date.now()),
    intakeStream('detection', network, vendor, Date.now()),
  ];
  const size = withPeople ? (appendSize / 3) * 2 : appendSize;
  let position = 0n;
  for (let [told, index] = [0, 0]; told < events;) {
    const indexes = Array.from({ length: Math.min(Math.floor(size), events - told) }, () => index++);
    const seen = withPeople ? indexes.filter((at) => at % 2 === 0).slice(0, events - told - indexes.length) : [];
    ({ position } = await store.append(
      plays,
      indexes.map((at) => event(PopRecorded.type, play(at))),
    ));
    if (seen.length > 0)
      ({ position } = await store.append(
        people,
        seen.map((at) => event(DetectionRecorded.type, detection(at))),
      ));
    told += indexes.length + seen.length;
  }
  return position;
};

/** Tells the log of a month; resolves with the position of the last event. */
export const fillMonth = async (store: EventStore, month: Month): Promise<bigint> => {
  const append = (kind: 'pop' | 'detection', type: string, events: readonly unknown[]) =>
    store.append(
      intakeStream(kind, network, vendor, Date.now()),
      events.map((data) => event(type, data)),
    );
  let position = 0n;
  for (const { plays, people } of splitMonth(month, appendSize)) {
    await append('pop', PopRecorded.type, plays);
    ({ position } = await append('detection', DetectionRecorded.type, people));
  }
  return position;
};
