import { findEventDefinition } from '@popsvc/contracts/events';
import { foldRegistry, type Registry } from '@popsvc/domain/registry';
import type { LogEvent } from '../event-store/index.ts';
import type { Log } from '../telemetry/index.ts';

/**
 * Applies a stored event to a registry. An event that cannot be read, such as one written by a newer release before a rollback,
 * is logged and skipped, so that the registry can process the rest.
 */
export const applyRegistryEvent = (registry: Registry, event: LogEvent, log: Log): void => {
  const { type, data, metadata, recordedAtMs, position, stream } = event;
  const definition = findEventDefinition(type);
  if (!definition) return;
  try {
    foldRegistry(registry, { type, data: definition.read(data, metadata.schemaVersion), atMs: recordedAtMs, position });
  } catch (err) {
    log.warn({ err, stream, type, position: position.toString() }, 'registry event cannot be read');
  }
};
