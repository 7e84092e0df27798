import { registryEventType, streamPrefixes } from '@popsvc/contracts/events';
import type { RegistryKind } from '@popsvc/contracts/registry';
import { registryTables } from '@popsvc/contracts/tables';
import { emptyRegistry, foldRegistry } from '@popsvc/domain/registry';
import type { LogEvent } from '@popsvc/platform/event-store';
import { dictionaries } from '@popsvc/platform/read-store';
import { openBatches } from '../run/open-batches.ts';
import type { Fold, Projection, Steps } from '../run/projection.ts';
import { readEvent } from '../run/read-event.ts';
import { dimensionRows, dimensionsShowing } from './dimension-rows.ts';

const reload = async (steps: Steps): Promise<void> => {
  for (const { name } of dictionaries) await steps.run(`SYSTEM RELOAD DICTIONARY ${name}`);
};

const start = (): Fold => {
  const open = openBatches(registryTables);
  const registry = emptyRegistry();
  const changed = new Set<RegistryKind>();
  /** Rows as last written, by their JSON: only what differs is written again. */
  const written = new Map<RegistryKind, Set<string>>();

  const fold = ({ type, position, recordedAtMs }: LogEvent, data: unknown) => {
    foldRegistry(registry, { type, data, atMs: recordedAtMs, position });
  };

  const rememberAll = () => {
    for (const kind of Object.keys(registryTables) as RegistryKind[])
      written.set(kind, new Set(dimensionRows(registry, kind).map((row) => JSON.stringify(row))));
  };

  return {
    recall(event) {
      fold(event, readEvent(event));
    },
    take(event) {
      const kind = registryEventType(event.type)?.kind;
      if (!kind) return;
      const data = readEvent(event);
      if (written.size === 0) rememberAll();
      fold(event, data);
      for (const shown of dimensionsShowing(kind)) changed.add(shown);
    },
    get pending() {
      return { rows: changed.size, bytes: 0 };
    },
    seal({ upTo }) {
      for (const kind of changed) {
        const rows = dimensionRows(registry, kind).map((row) => [JSON.stringify(row), row] as const);
        const known = written.get(kind);
        for (const [text, row] of rows) if (!known?.has(text)) open.of[kind].add({ ...row, version: upTo });
        written.set(kind, new Set(rows.map(([text]) => text)));
      }
      changed.clear();
      const inserts = open.seal();
      return inserts.length > 0 ? { inserts, after: reload } : { inserts };
    },
  };
};

/** The registry as it is now: names for the reports, networks and sites for the scope of a request. */
export const registryProjection: Projection = {
  name: 'registry',
  reads: [streamPrefixes.registry, streamPrefixes.probe],
  recalls: [streamPrefixes.registry],
  tables: Object.values(registryTables),
  start,
};
