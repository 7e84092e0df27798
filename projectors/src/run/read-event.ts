import { definitionOf } from '@popsvc/contracts/events';
import type { LogEvent } from '@popsvc/platform/event-store';

/** Today's shape of a stored event; undefined for a type of a newer build. Throws when a known type cannot be read. */
export const readEvent = ({ type, data, metadata }: LogEvent): unknown =>
  definitionOf(type)?.read(data, metadata.schemaVersion);
