import type { Feed } from '@popsvc/platform/bus';
import type { EventStore } from '@popsvc/platform/event-store';
import type { Writer } from '@popsvc/platform/read-store';
import { checkpoints, leases, liveGeneration, type Records } from '@popsvc/platform/records';
import type { Log, Registry } from '@popsvc/platform/runtime';
import { allProjections } from '../all.ts';
import { livenessName, livenessReads, monitoring } from '../liveness/index.ts';
import { relayName, relayReads } from '../relay/index.ts';
import { relaying } from '../relay/relaying.ts';
import { type Board, createBoard } from '../run/board.ts';
import { emitProbes } from '../run/emit-probes.ts';
import { projectionMetrics } from '../run/projection-metrics.ts';
import { runIncarnation, type RunnerParts } from '../run/run-projection.ts';
import { supervise } from '../run/supervise.ts';
import { ensureSchema } from '../schema/ensure-schema.ts';

export interface ProjectorParts {
  readonly store: EventStore;
  readonly writer: Writer;
  readonly records: Records;
  readonly metrics: Registry;
  readonly log: Log;
  readonly owner: string;
  /** Where the log is published; none: it is not. */
  readonly feed?: Feed | undefined;
}

export interface Projectors {
  readonly board: Board;
  /** Lets every projection finish its batch, then ends. */
  stop(): Promise<void>;
}

/** Schema first, then every projection in a loop of its own, for as long as nobody stops it. */
export const createProjectors = async ({
  store,
  writer,
  records,
  metrics,
  log,
  owner,
  feed,
}: ProjectorParts): Promise<Projectors> => {
  const live = await Promise.all(
    allProjections.map(async (projection) => ({
      projection,
      generation: await liveGeneration(records, projection.name),
    })),
  );
  await ensureSchema(writer, live);
  const board = createBoard([
    ...live.map(({ projection: { name, reads }, generation }) => ({ name, reads, generation, isNeeded: true })),
    { name: livenessName, reads: livenessReads, generation: 1, isNeeded: false },
    ...(feed ? [{ name: relayName, reads: relayReads, generation: 1, isNeeded: false } as const] : []),
  ]);
  const measure = projectionMetrics(metrics, board);
  const parts: RunnerParts = {
    store,
    writer,
    checkpoints: checkpoints(records),
    leases: leases(records),
    log,
    owner,
    onBatch(projection, batch) {
      board.record(projection, batch);
      measure(projection, batch);
    },
  };
  const end = new AbortController();
  const loops = live.map(({ projection, generation }) =>
    supervise(
      { name: projection.name, log, state: board.of(projection) },
      (onProgress) => {
        const onBatch: RunnerParts['onBatch'] = (which, batch) => {
          onProgress();
          parts.onBatch?.(which, batch);
        };
        return runIncarnation({ ...parts, onBatch }, projection, generation, end.signal);
      },
      end.signal,
    ),
  );
  loops.push(monitoring({ store, records, board, metrics, log, owner }, end.signal));
  if (feed) loops.push(relaying({ store, records, feed, board, metrics, log, owner }, end.signal));
  const stopProbes = emitProbes(store, log);
  return {
    board,
    async stop() {
      stopProbes();
      end.abort();
      await Promise.all(loops);
    },
  };
};
