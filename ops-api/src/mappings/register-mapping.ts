import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '@popsvc/contracts/errors';
import { MappingRegistered, mappingStream } from '@popsvc/contracts/events';
import type { Mapping } from '@popsvc/contracts/mappings';
import { instantOf } from '@popsvc/contracts/time';
import { type NewEvent, WrongExpectedVersion } from '@popsvc/platform/event-store';
import { appendAgain } from '../append-again.ts';
import type { OpsDependencies } from '../ops-parts.ts';
import { mappingsOfVendor } from './mappings-of-vendor.ts';

/** What registering a mapping did. */
export interface RegisteredMapping {
  readonly version: number;
  /** False when the mapping in force was this one already. */
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

/** Puts a mapping into force from here on in the log; the one in force again changes nothing, so it may be told twice. */
export const registerMapping = async (
  { store, log }: Pick<OpsDependencies, 'store' | 'log'>,
  network: number,
  mapping: Mapping,
  requestId: string,
): Promise<RegisteredMapping> => {
  const { vendor, schema_version: schemaVersion } = mapping;
  const read = async () => {
    const { inForce, expected } = await mappingsOfVendor(store, vendor, log);
    const current = inForce.find((known) => known.mapping.schema_version === schemaVersion);
    const unchanged = current !== undefined && isDeepStrictEqual(current.mapping, mapping);
    return { expected, version: current?.version ?? 0, unchanged };
  };
  const before = await read();
  if (before.unchanged) return { version: before.version, changed: false };
  const version = before.version + 1;
  try {
    const event = eventOf(network, version, mapping, requestId);
    await appendAgain(store, mappingStream(vendor), [event], before.expected);
    return { version, changed: true };
  } catch (error) {
    if (!(error instanceof WrongExpectedVersion)) throw error;
    // Who was faster may have told the very same.
    const now = await read();
    if (now.unchanged) return { version: now.version, changed: false };
    throw new ApiError(
      'CONFLICT',
      `The mappings of ${vendor} were changed by somebody else meanwhile; apply it again.`,
    );
  }
};
