import { mappingStream } from '@popsvc/contracts/events';
import { emptyMappings, type MappingVersion, mappingsInForce } from '@popsvc/domain/mappings';
import type { EventStore, Expected } from '@popsvc/platform/event-store';
import { foldLoggedMapping } from '@popsvc/platform/mappings';
import type { Log } from '@popsvc/platform/runtime';

/** The mappings of one vendor, every schema version of it, as its stream tells them. */
export interface VendorMappings {
  readonly inForce: readonly (MappingVersion & { readonly registeredAtMs: number })[];
  /** Where the stream must stand for an append to follow what was read. */
  readonly expected: Expected;
}

export const mappingsOfVendor = async (
  store: Pick<EventStore, 'readStream'>,
  vendor: string,
  log: Log,
): Promise<VendorMappings> => {
  const mappings = emptyMappings();
  const times = new Map<bigint, number>();
  let expected: Expected = 'no_stream';
  for await (const event of store.readStream(mappingStream(vendor))) {
    foldLoggedMapping(mappings, event, log);
    times.set(event.position, event.recordedAtMs);
    expected = event.revision;
  }
  const inForce = mappingsInForce(mappings).map((version) => ({
    ...version,
    registeredAtMs: times.get(version.position)!,
  }));
  return { inForce, expected };
};
