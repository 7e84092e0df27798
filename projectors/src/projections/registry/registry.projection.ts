import { parkingStream, registryEventType, streamPrefixes } from '@popsvc/contracts/events';
import type { RegistryKind } from '@popsvc/contracts/registry';
import { instantMs } from '@popsvc/contracts/time';
import { emptyRegistry, foldRegistry, nextEffectiveMs } from '@popsvc/domain/registry';
import type { LogEvent } from '@popsvc/platform/event-store';
import { reloadDictionaries } from '@popsvc/read-models/schema';
import { registryTables } from '@popsvc/read-models/tables';
import { createRowBatches } from '../../engine/row-batches.ts';
import type { Fold, Projection, BatchSession } from '../../engine/projection.ts';
import { readEvent } from '../../engine/read-event.ts';
import { dimensionRows, dimensionsShowing } from './dimension-rows.ts';

const liveSql = `SELECT generation FROM progress_live WHERE projection = 'registry'`;

/**
 * After a batch of the registry: names are looked up in what readers see, so what a generation holds that is built or kept beside
 * it changes none of them. Who has readers change over has them read anew then.
 */
const readNamesAnew = async (steps: BatchSession): Promise<void> => {
  const [live] = await steps.rows<{ generation: number }>(liveSql);
  if (live === undefined || live.generation === steps.generation) await reloadDictionaries(steps);
};

const dimensions = Object.keys(registryTables) as RegistryKind[];

const start = (): Fold => {
  const open = createRowBatches(registryTables);
  const registry = emptyRegistry();
  const changed = new Set<RegistryKind>();
  /** Rows as last written in this life, by their JSON: only what differs is written again. */
  const written = new Map<RegistryKind, Set<string>>();

  /** By the log's clock, which probes keep going: what is announced for later takes effect without another event. */
  let nowMs = 0;
  let nextMs = Infinity;

  const fold = ({ type, position, recordedAtMs }: LogEvent, data: unknown) => {
    const { effective_from } = data as { effective_from?: string };
    const effectiveMs = effective_from === undefined ? undefined : instantMs(effective_from);
    if (effectiveMs !== undefined && effectiveMs > nowMs) nextMs = Math.min(nextMs, effectiveMs);
    foldRegistry(registry, { type, data, atMs: recordedAtMs, position });
  };

  return {
    restore(event) {
      nowMs = Math.max(nowMs, event.recordedAtMs);
      fold(event, readEvent(event));
    },
    reloadState() {
      const again = emptyRegistry();
      return {
        restore(event) {
          const { type, position, recordedAtMs: atMs } = event;
          foldRegistry(again, { type, data: readEvent(event), atMs, position });
        },
        adopt() {
          Object.assign(registry, again);
          nextMs = nextEffectiveMs(registry, nowMs);
          for (const dimension of dimensions) changed.add(dimension);
        },
      };
    },
    apply(event) {
      const kind = registryEventType(event.type)?.kind;
      const data = readEvent(event);
      // Of what an earlier life wrote nobody knows how it made its rows: another build may have known fewer columns.
      if (written.size === 0) for (const dimension of dimensions) changed.add(dimension);
      nowMs = Math.max(nowMs, event.recordedAtMs);
      if (kind) {
        fold(event, data);
        for (const shown of dimensionsShowing(kind)) changed.add(shown);
      }
      if (nowMs < nextMs) return;
      nextMs = nextEffectiveMs(registry, nowMs);
      for (const dimension of dimensions) changed.add(dimension);
    },
    get pending() {
      return { rows: changed.size, bytes: 0 };
    },
    seal({ upTo }) {
      for (const kind of changed) {
        const rows = dimensionRows(registry, kind, nowMs).map((row) => [JSON.stringify(row), row] as const);
        const known = written.get(kind);
        for (const [text, row] of rows) if (!known?.has(text)) open.of[kind].add({ ...row, version: upTo });
        written.set(kind, new Set(rows.map(([text]) => text)));
      }
      changed.clear();
      const inserts = open.seal();
      return inserts.length > 0 ? { inserts, derive: readNamesAnew } : { inserts };
    },
  };
};

/** The registry as it is now: names for the reports, networks and sites for the scope of a request. */
export const registryProjection: Projection = {
  name: 'registry',
  version: 1,
  reads: [streamPrefixes.registry, streamPrefixes.probe, parkingStream('registry')],
  recalls: [streamPrefixes.registry],
  // Its rows are the registry as it is, not what was told of it.
  rowEventTypes: [],
  tables: Object.values(registryTables),
  createFold: start,
};
