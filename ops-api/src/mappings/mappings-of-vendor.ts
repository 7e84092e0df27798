import { MappingRegistered, mappingStream } from '@popsvc/contracts/events';
import { emptyMappings, foldMapping, type MappingVersion, mappingsInForce } from '@popsvc/domain/mappings';
import type { EventStore, ExpectedRevision } from '@popsvc/platform/event-store';
import type { Log } from '@popsvc/platform/telemetry';

/** The mappings of one vendor, every schema version of it, as its stream tells them. */
export interface VendorMappings {
  readonly inForce: readonly (MappingVersion & { readonly registeredAtMs: number })[];
  /** Where the stream must stand for an append to follow what was read. */
  readonly expected: ExpectedRevision;
}

export const mappingsOfVendor = async (
  store: Pick<EventStore, 'readStream'>,
  vendor: string,
  log: Log,
): Promise<VendorMappings> => {
  const mappings = emptyMappings();
  const times = new Map<bigint, number>();
  let expected: ExpectedRevision = 'no_stream';
  for await (const event of store.readStream(mappingStream(vendor))) {
    const { type, data, metadata, position, recordedAtMs, revision } = event;
    expected = revision;
    if (type !== MappingRegistered.type) continue;
    times.set(position, recordedAtMs);
    try {
      foldMapping(mappings, MappingRegistered.read(data, metadata.schemaVersion), position);
    } catch (err) {
      // Such as one a newer build wrote before it was rolled back: the others can be told all the same.
      log.warn({ err, vendor, position: position.toString() }, 'a mapping cannot be read');
    }
  }
  const inForce = mappingsInForce(mappings).map((version) => ({
    ...version,
    registeredAtMs: times.get(version.position)!,
  }));
  return { inForce, expected };
};
