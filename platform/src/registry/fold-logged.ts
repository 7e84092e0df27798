import { findEventDefinition } from '@popsvc/contracts/events';
import { foldRegistry, type Registry } from '@popsvc/domain/registry';
import type { LogEvent } from '../event-store/index.ts';
import type { Log } from '../telemetry/index.ts';

/**
 * Takes an event of the log into a registry. One that cannot be read, such as one a newer build wrote before it was rolled
 * back, is told and passed over: whoever keeps a registry must go on with the rest.
 */
export const applyRegistryEvent = (registry: Registry, event: LogEvent, log: Log): void => {
  const { type, data, metadata, recordedAtMs, position, stream } = event;
  const definition = findEventDefinition(type);
  if (!definition) return;
  try {
    foldRegistry(registry, { type, data: definition.read(data, metadata.schemaVersion), atMs: recordedAtMs, position });
  } catch (err) {
    log.warn({ err, stream, type, position: position.toString() }, 'an event of the registry cannot be read');
  }
};
