import type { Batch } from './batcher.ts';
import type { Projection, ProjectionName } from './projection.ts';
import type { ProjectionState } from './supervise-projection.ts';

export interface Standing extends ProjectionState {
  readonly name: ProjectionName;
  readonly generation: number;
  readonly reads: readonly string[];
  position: bigint;
  /** When the newest projected event was appended, ms since 1970; 0 before the first. */
  asOfMs: number;
}

/** How each projection of this process stands. */
export interface Board {
  readonly standings: readonly Standing[];
  of(projection: Projection): Standing;
  record(projection: Projection, batch: Batch): void;
}

export const createBoard = (live: readonly { projection: Projection; generation: number }[]): Board => {
  const standings = new Map<string, Standing>(
    live.map(({ projection: { name, reads }, generation }) => [
      name,
      { name, generation, reads, state: 'starting', error: undefined, position: 0n, asOfMs: 0 },
    ]),
  );
  const of = ({ name }: Projection) => standings.get(name)!;
  return {
    standings: [...standings.values()],
    of,
    record(projection, { upTo, asOfMs }) {
      Object.assign(of(projection), { position: upTo, asOfMs });
    },
  };
};
