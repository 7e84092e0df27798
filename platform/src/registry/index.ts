import { findEventDefinition } from '@popsvc/contracts/events';
import { foldRegistry, type Registry } from '@popsvc/domain/registry';
import type { LogEvent } from '../event-store/index.ts';
import type { Log } from '../telemetry/index.ts';

/** Logs and skips an event that cannot be read, which a newer release may have written before a rollback. */
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
