import { findEventDefinition } from '@popsvc/contracts/events';
import { foldRegistry, type Registry } from '@popsvc/domain/registry';
import type { LogEvent } from '../event-store/index.ts';
import type { Log } from '../telemetry/index.ts';

/**
 * Applies a stored event to a registry. Ignores events of unknown types. If the event cannot be read, logs a warning and skips it,
 * so that the registry can process later events. A newer release that was rolled back may have written such an event.
 */
export const applyRegistryEvent = (registry: Registry, event: LogEvent, log: Log): void => {
  const { type, data, metadata, recordedAtMs, position, stream } = event;
  const definition = findEventDefinition(type);
  if (!definition) return;
  try {
    foldRegistry(registry, { type, data: definition.read(data, metadata.schemaVersion), atMs: recordedAtMs, position });
  } catch (err) {
    log.warn({ err, stream, type, position: position.toString() }, 'failed to read registry event; it is skipped');
  }
};
