import { maxErrorDetails, ApiError } from '@popsvc/contracts/errors';
import { registryStream } from '@popsvc/contracts/events';
import { networkOfCamera, networkOfDevice, networkOfFeeder, type Registry } from '@popsvc/domain/registry';
import { type EventStore, EventStoreUnavailable } from '@popsvc/platform/event-store';
import { withDeadline } from '@popsvc/platform/runtime';
import { invalidEvents } from '../intake/errors.ts';
import type { IntakeTimeouts } from '../intake/timeouts.ts';
import type { RegistryCache } from './registry-cache.ts';

export interface SourceIds {
  readonly deviceId?: number | undefined;
  readonly feederId?: number | undefined;
  readonly cameraId?: number | undefined;
}

/** Throws INVALID_EVENT if an id is not registered in the network, and UNAVAILABLE if that cannot be determined. */
export type CheckIds = (listField: string, items: readonly SourceIds[], network: number) => Promise<void>;

/** The cache may lack a recent registration, so an id is rejected only after the cache has applied the newest event of the entity. */
export const createIdCheck = (
  cache: RegistryCache,
  store: Pick<EventStore, 'readStream'>,
  { idCheckMs }: Pick<IntakeTimeouts, 'idCheckMs'>,
): CheckIds => {
  const readNewestPosition = async ({ kind, id }: UnknownId): Promise<bigint | undefined> => {
    const stream = registryStream(kind, String(id));
    for await (const { position } of store.readStream(stream, { direction: 'backwards', max: 1 })) return position;
    return undefined;
  };

  const waitForCache = async (ids: readonly UnknownId[], giveUpAt: number): Promise<void> => {
    const positions = await Promise.all(ids.map(readNewestPosition));
    const newest = positions.reduce<bigint>((max, position) => (position && position > max ? position : max), 0n);
    if (newest > 0n && !(await cache.waitForPosition(newest, giveUpAt - performance.now())))
      throw new EventStoreUnavailable('the registry cache lags behind the event store');
  };

  return async (listField, items, network) => {
    const giveUpAt = performance.now() + idCheckMs;
    const confirmedKeys = new Set<string>();
    for (;;) {
      const unknown = findUnknownIds(listField, items, network, cache.registry).slice(0, maxErrorDetails);
      const unconfirmed = unknown.filter((id) => !confirmedKeys.has(keyOf(id)));
      if (unknown.length === 0) return;
      if (unconfirmed.length === 0) throw invalidEvents(unknown.map(({ path, message }) => ({ path, message })));
      try {
        await withDeadline(waitForCache(removeDuplicates(unconfirmed), giveUpAt), idCheckMs, 'looking an id up');
      } catch (cause) {
        const message = 'Cannot validate ids: the registry is unavailable. Retry later.';
        throw new ApiError('UNAVAILABLE', message, { cause });
      }
      for (const id of unconfirmed) confirmedKeys.add(keyOf(id));
    }
  };
};

interface UnknownId {
  readonly kind: 'devices' | 'feeders' | 'cameras';
  readonly id: number;
  readonly path: string;
  readonly message: string;
}

const keyOf = ({ kind, id }: UnknownId): string => `${kind} ${id}`;

const removeDuplicates = (ids: readonly UnknownId[]): readonly UnknownId[] => [
  ...new Map(ids.map((id) => [keyOf(id), id])).values(),
];

const findNetwork = { devices: networkOfDevice, feeders: networkOfFeeder, cameras: networkOfCamera } as const;
const singular = { devices: 'device', feeders: 'feeder', cameras: 'camera' } as const;

/** The message does not reveal whether another network has the id. */
const findUnknownIds = (
  listField: string,
  items: readonly SourceIds[],
  network: number,
  registry: Registry,
): UnknownId[] => {
  const unknown: UnknownId[] = [];
  const isKnown = (index: number, kind: UnknownId['kind'], id: number | undefined): boolean => {
    if (id === undefined || findNetwork[kind](registry, id) === network) return true;
    const message = `${singular[kind]} ${id} is not one of this network`;
    unknown.push({ kind, id, path: `${listField}[${index}].${singular[kind]}Id`, message });
    return false;
  };
  items.forEach(({ deviceId, feederId, cameraId }, index) => {
    if (!isKnown(index, 'devices', deviceId)) return;
    isKnown(index, 'feeders', feederId);
    isKnown(index, 'cameras', cameraId);
  });
  return unknown;
};
