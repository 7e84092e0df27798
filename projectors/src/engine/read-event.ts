import { findEventDefinition } from '@popsvc/contracts/events';
import { instantMs } from '@popsvc/contracts/time';
import type { LogEvent } from '@popsvc/platform/event-store';

/** Range of the instants that the tables can store, in ms since 1970. */
const [firstMs, lastMs] = [Date.UTC(1970, 0, 1), Date.UTC(2262, 0, 1)];

const isInstant = (text: unknown): boolean => {
  const ms = typeof text === 'string' ? instantMs(text) : undefined;
  return ms !== undefined && ms >= firstMs && ms < lastMs;
};

/** Throws when the metadata is invalid. Not a zod schema, because every event of every projection is checked. */
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
 * Returns a stored event in the current version of its schema, or undefined when this build does not know its type. Throws when a known
 * type cannot be read or its metadata is invalid.
 */
export const readEvent = ({ type, data, metadata }: LogEvent): unknown => {
  const definition = findEventDefinition(type);
  if (!definition) return undefined;
  checkMetadata(metadata);
  return definition.read(data, metadata.schemaVersion);
};
