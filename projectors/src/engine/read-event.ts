import { findEventDefinition } from '@popsvc/contracts/events';
import { instantMs } from '@popsvc/contracts/time';
import type { LogEvent } from '@popsvc/platform/event-store';

/** What columns and computations can hold: years in which an instant of ours may lie. */
const [firstMs, lastMs] = [Date.UTC(1970, 0, 1), Date.UTC(2262, 0, 1)];

const isInstant = (text: unknown): boolean => {
  const ms = typeof text === 'string' ? instantMs(text) : undefined;
  return ms !== undefined && ms >= firstMs && ms < lastMs;
};

/** Checked by hand, since every event of every projection passes here. Throws on what no event of ours has. */
const checkMetadata = (metadata: LogEvent['metadata'] | undefined): void => {
  if (!Number.isSafeInteger(metadata?.schemaVersion) || !(metadata!.schemaVersion >= 1))
    throw new Error('the metadata tells no schema version');
  const { receivedAt, network, vendor } = metadata!;
  if (!isInstant(receivedAt)) throw new Error('the metadata does not tell when it was received');
  if (network !== undefined && !(Number.isSafeInteger(network) && network >= 0))
    throw new Error('the metadata names a network that cannot be');
  if (vendor !== undefined && typeof vendor !== 'string') throw new Error('the metadata names a vendor that cannot be');
};

/**
 * Today's shape of a stored event; undefined for a type of a newer build. Throws when a known type cannot be read, or says of
 * itself what nothing can be made of.
 */
export const readEvent = ({ type, data, metadata }: LogEvent): unknown => {
  const definition = findEventDefinition(type);
  if (!definition) return undefined;
  checkMetadata(metadata);
  return definition.read(data, metadata.schemaVersion);
};
