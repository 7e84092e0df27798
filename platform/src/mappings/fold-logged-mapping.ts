import { MappingRegistered } from '@popsvc/contracts/events';
import { foldMapping, type Mappings } from '@popsvc/domain/mappings';
import type { LogEvent } from '../event-store/index.ts';
import type { Log } from '../runtime/index.ts';

/** Takes an event of the log into the mappings; one that cannot be read is told and passed over, others change nothing. */
export const foldLoggedMapping = (mappings: Mappings, event: LogEvent, log: Log): void => {
  const { type, data, metadata, position, stream } = event;
  if (type !== MappingRegistered.type) return;
  try {
    foldMapping(mappings, MappingRegistered.read(data, metadata.schemaVersion), position);
  } catch (err) {
    log.warn({ err, stream, type, position: position.toString() }, 'a mapping cannot be read');
  }
};
