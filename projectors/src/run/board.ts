import type { Batch } from './batcher.ts';
import type { livenessName } from '../liveness/monitor.ts';
import type { relayName } from '../relay/relay.ts';
import type { ProjectionName } from './projection.ts';
import type { ProjectionState } from './supervise.ts';

export interface Standing extends ProjectionState {
  readonly name: ProjectionName | typeof livenessName | typeof relayName;
  /** Whether the service is not ready without it. */
  readonly isNeeded: boolean;
  readonly generation: number;
  readonly reads: readonly string[];
  position: bigint;
  /** When the newest projected event was appended, ms since 1970; 0 before the first. */
  asOfMs: number;
}

/** How each projection of this process stands. */
export interface Board {
  readonly standings: readonly Standing[];
  of(which: Named): Standing;
  record(which: Named, moved: Pick<Batch, 'upTo' | 'asOfMs'>): void;
}

type Named = Pick<Standing, 'name'>;

/** One that is listed. */
export interface Listed extends Named {
  readonly reads: readonly string[];
  readonly isNeeded: boolean;
  readonly generation: number;
}

export const createBoard = (listed: readonly Listed[]): Board => {
  const standings = new Map<string, Standing>(
    listed.map(({ name, reads, isNeeded, generation }) => [
      name,
      { name, isNeeded, generation, reads, state: 'starting', error: undefined, position: 0n, asOfMs: 0 },
    ]),
  );
  const of = ({ name }: Named) => standings.get(name)!;
  return {
    standings: [...standings.values()],
    of,
    record(which, { upTo, asOfMs }) {
      Object.assign(of(which), { position: upTo, asOfMs });
    },
  };
};
