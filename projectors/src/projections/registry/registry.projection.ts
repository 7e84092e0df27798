import { parkingStream, registryEventType, streamPrefixes } from '@popsvc/contracts/events';
import type { RegistryKind } from '@popsvc/contracts/registry';
import { instantMs } from '@popsvc/contracts/time';
import { emptyRegistry, foldRegistry, nextEffectiveMs } from '@popsvc/domain/registry';
import { reloadDictionaries } from '@popsvc/read-models/schema';
import { registryTables } from '@popsvc/read-models/tables';
import { type LogItem, readItem } from '../../engine/log-items.ts';
import { createRowBatches } from '../../engine/row-batches.ts';
import type { Fold, Projection, BatchSession } from '../../engine/projection.ts';
import { dimensionRows, dimensionsShowing } from './dimension-rows.ts';

const liveGenerationSql = `SELECT generation FROM progress_live WHERE projection = 'registry'`;

/** Skips generations that are not live: dictionaries read only the live one, and a switch to another one reloads them. */
const reloadNames = async (session: BatchSession): Promise<void> => {
  const [live] = await session.rows<{ generation: number }>(liveGenerationSql);
  if (live === undefined || live.generation === session.generation)
    await reloadDictionaries((query) => session.runOnEachServer(query));
};

const dimensions = Object.keys(registryTables) as RegistryKind[];

const createFold = (): Fold => {
  const open = createRowBatches(registryTables);
  const registry = emptyRegistry();
  const changed = new Set<RegistryKind>();
  const written = new Map<RegistryKind, Set<string>>();

  /** Time of the newest event. Probes advance it, so that a scheduled change takes effect without another registry event. */
  let nowMs = 0;
  /** When the next scheduled change takes effect, in ms since 1970. */
  let nextMs = Infinity;

  const fold = ({ type, sequence, recordedAtMs }: LogItem, data: unknown) => {
    const { effective_from } = data as { effective_from?: string };
    const effectiveMs = effective_from === undefined ? undefined : instantMs(effective_from);
    if (effectiveMs !== undefined && effectiveMs > nowMs) nextMs = Math.min(nextMs, effectiveMs);
    foldRegistry(registry, { type, data, atMs: recordedAtMs, position: sequence });
  };

  return {
    restore(event) {
      nowMs = Math.max(nowMs, event.recordedAtMs);
      fold(event, readItem(event));
    },
    apply(event) {
      const kind = registryEventType(event.type)?.kind;
      const data = readItem(event);
      // The first event of a run writes all rows again: stored rows may come from an earlier release whose tables had fewer columns.
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
    seal({ upTo, isFoldedAgain }) {
      for (const kind of changed) {
        const rows = dimensionRows(registry, kind, nowMs).map((row) => [JSON.stringify(row), row] as const);
        const known = written.get(kind);
        // While events are folded again, the table may have rows that this batch has reverted, so all rows of the dimension are written.
        for (const [text, row] of rows)
          if (isFoldedAgain || !known?.has(text)) open.of[kind].add({ ...row, version: upTo });
        written.set(kind, new Set(rows.map(([text]) => text)));
      }
      changed.clear();
      const inserts = open.seal();
      return inserts.length > 0 ? { inserts, derive: reloadNames } : { inserts };
    },
  };
};

export const registryProjection: Projection = {
  name: 'registry',
  version: 3,
  streams: [streamPrefixes.registry, streamPrefixes.probe, parkingStream('registry')],
  stateStreams: [streamPrefixes.registry],
  // Empty, because an event that does not change the current registry adds no row.
  rowEventTypes: [],
  tables: Object.values(registryTables),
  createFold,
};
