import type { Feed } from '@popsvc/platform/bus';
import type { EventStore } from '@popsvc/platform/event-store';
import type { Writer } from '@popsvc/platform/read-store';
import { beginProjection, checkpoints, leases, readGenerations, type Records } from '@popsvc/platform/records';
import type { Log, Registry } from '@popsvc/platform/runtime';
import { allProjections } from '../all.ts';
import { monitoring } from '../liveness/index.ts';
import { relaying } from '../relay/relaying.ts';
import { type Board, createBoard } from '../run/board.ts';
import { crew } from '../run/crew.ts';
import { emitProbes } from '../run/emit-probes.ts';
import { keepStandings } from '../run/keep-standings.ts';
import { projectionMetrics } from '../run/projection-metrics.ts';
import { ensureSchema, type Live } from '../schema/ensure-schema.ts';

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

const liveGenerations = async (records: Records): Promise<readonly Live[]> => {
  for (const { name, version } of allProjections) await beginProjection(records, name, version);
  const live = (await readGenerations(records)).filter(({ state }) => state === 'live');
  return allProjections.map((projection) => ({
    projection,
    generation: live.find((record) => record.projection === projection.name)!.generation,
  }));
};

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
  const live = await liveGenerations(records);
  await ensureSchema(writer, live);
  const board = createBoard();
  for (const { projection, generation } of live)
    board.list({ name: projection.name, reads: projection.reads, generation, isNeeded: true });
  const end = new AbortController();
  const running = {
    store,
    writer,
    checkpoints: checkpoints(records),
    leases: leases(records),
    log,
    owner,
    records,
    board,
    projections: allProjections,
    onBatch: projectionMetrics(metrics, board),
  };
  const loops = [
    crew(running, end.signal),
    monitoring({ store, records, board, metrics, log, owner }, end.signal),
    ...(feed ? [relaying({ store, records, feed, board, metrics, log, owner }, end.signal)] : []),
  ];
  const stopProbes = emitProbes(store, log);
  const stopTelling = keepStandings(records, board, owner, log);
  return {
    board,
    async stop() {
      stopProbes();
      end.abort();
      await Promise.all(loops);
      stopTelling();
    },
  };
};
