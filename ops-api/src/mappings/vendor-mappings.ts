import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '@popsvc/contracts/errors';
import { MappingRegistered, mappingStream } from '@popsvc/contracts/events';
import type { Mapping } from '@popsvc/contracts/mappings';
import { instantOf } from '@popsvc/contracts/time';
import { emptyMappings, foldMappingEvent, mappingsInForce, type MappingVersion } from '@popsvc/domain/mappings';
import {
  type EventStore,
  type ExpectedRevision,
  type NewEvent,
  WrongExpectedVersion,
} from '@popsvc/platform/event-store';
import type { Log } from '@popsvc/platform/telemetry';
import { appendEvents } from '../requests/append-events.ts';

export interface MappingsDependencies {
  readonly store: EventStore;
  readonly log: Log;
}

export interface VendorMappings {
  readonly inForce: readonly (MappingVersion & { readonly registeredAtMs: number })[];
  /** The last version by schema version, even if its mapping cannot be read. */
  readonly versions: ReadonlyMap<string, number>;
  readonly expected: ExpectedRevision;
}

export const readVendorMappings = async (
  store: Pick<EventStore, 'readStream'>,
  vendor: string,
  log: Log,
): Promise<VendorMappings> => {
  const mappings = emptyMappings();
  const times = new Map<bigint, number>();
  const versions = new Map<string, number>();
  let expected: ExpectedRevision = 'no_stream';
  for await (const event of store.readStream(mappingStream(vendor))) {
    const { type, data, position, recordedAtMs, revision } = event;
    expected = revision;
    if (type !== MappingRegistered.type) continue;
    times.set(position, recordedAtMs);
    const { version = 0, mapping } = data as Partial<MappingRegistered>;
    if (mapping) versions.set(mapping.schema_version, version);
    const err = foldMappingEvent(mappings, event);
    if (err !== undefined)
      log.warn({ err, vendor, position: position.toString() }, 'failed to read mapping; it is skipped');
  }
  const inForce = mappingsInForce(mappings).map((version) => ({
    ...version,
    registeredAtMs: times.get(version.position)!,
  }));
  return { inForce, versions, expected };
};

interface RegisteredMapping {
  readonly version: number;
  readonly changed: boolean;
}

const eventOf = (network: number, version: number, mapping: Mapping, requestId: string): NewEvent => ({
  id: randomUUID(),
  type: MappingRegistered.type,
  data: { network, version, mapping } satisfies MappingRegistered,
  metadata: {
    schemaVersion: MappingRegistered.version,
    receivedAt: instantOf(Date.now()),
    network,
    vendor: mapping.vendor,
    requestId,
  },
});

/** A mapping takes effect at the log position of its event. */
export const registerMapping = async (
  { store, log }: MappingsDependencies,
  network: number,
  mapping: Mapping,
  requestId: string,
): Promise<RegisteredMapping> => {
  const { vendor, schema_version: schemaVersion } = mapping;
  const read = async () => {
    const { inForce, versions, expected } = await readVendorMappings(store, vendor, log);
    const current = inForce.find((known) => known.mapping.schema_version === schemaVersion);
    const unchanged = current !== undefined && isDeepStrictEqual(current.mapping, mapping);
    return { expected, version: versions.get(schemaVersion) ?? 0, unchanged };
  };
  const before = await read();
  if (before.unchanged) return { version: before.version, changed: false };
  const version = before.version + 1;
  try {
    const event = eventOf(network, version, mapping, requestId);
    await appendEvents(store, mappingStream(vendor), [event], before.expected);
    return { version, changed: true };
  } catch (error) {
    if (!(error instanceof WrongExpectedVersion)) throw error;
    // A concurrent request may have registered an identical mapping.
    const now = await read();
    if (now.unchanged) return { version: now.version, changed: false };
    throw new ApiError('CONFLICT', `The mappings of ${vendor} were changed concurrently; apply the mapping again.`);
  }
};
