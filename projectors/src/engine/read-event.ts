import { findEventDefinition } from '@popsvc/contracts/events';
import { instantMs } from '@popsvc/contracts/time';
import type { LogEvent } from '@popsvc/platform/event-store';

/** Range of valid times in event metadata, in ms since 1970. A `DateTime64` of any precision can store these times. */
const [firstMs, lastMs] = [Date.UTC(1970, 0, 1), Date.UTC(2262, 0, 1)];

const isInstant = (text: unknown): boolean => {
  const ms = typeof text === 'string' ? instantMs(text) : undefined;
  return ms !== undefined && ms >= firstMs && ms < lastMs;
};

/**
 * Throws when the metadata is invalid. Hand-written instead of a zod schema for speed, because every projection checks every
 * event.
 */
const checkMetadata = (metadata: LogEvent['metadata'] | undefined): void => {
  if (!Number.isSafeInteger(metadata?.schemaVersion) || !(metadata!.schemaVersion >= 1))
    throw new Error('the metadata has no valid schema version');
  const { receivedAt, network, vendor } = metadata!;
  if (!isInstant(receivedAt)) throw new Error('the metadata has no valid receivedAt');
  if (network !== undefined && !(Number.isSafeInteger(network) && network >= 0))
    throw new Error('the metadata has an invalid network');
  if (vendor !== undefined && typeof vendor !== 'string') throw new Error('the metadata has an invalid vendor');
};

/**
 * Returns the data of a stored event, converted to the current version of its schema; undefined when this software version does
 * not know the event type. Throws when the metadata, or the data of a known type, is invalid.
 */
export const readEvent = ({ type, data, metadata }: LogEvent): unknown => {
  const definition = findEventDefinition(type);
  if (!definition) return undefined;
  checkMetadata(metadata);
  return definition.read(data, metadata.schemaVersion);
};
