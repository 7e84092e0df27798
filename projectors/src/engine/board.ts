import type { livenessName } from '../projections/liveness/monitor.ts';
import type { relayName } from '../projections/relay/relay.ts';
import type { ProjectionName } from '@popsvc/read-models/generations';
import type { Batch } from './batch.ts';
import type { ProjectionState } from './runner/supervise.ts';

/** One that this process works on, or waits for. */
export interface Listed {
  readonly name: ProjectionName | typeof livenessName | typeof relayName;
  readonly generation: number;
  readonly reads: readonly string[];
  /** Whether the service is not ready without it. */
  readonly isNeeded: boolean;
}

export interface Standing extends Listed, ProjectionState {
  position: bigint;
  /** When the newest projected event was appended, ms since 1970; 0 before the first. */
  asOfMs: number;
}

type Which = Pick<Listed, 'name' | 'generation'>;

/** How each generation of each projection stands that this process works on. */
export interface Board {
  readonly standings: readonly Standing[];
  /** Lists another, or tells how one that is listed stands. */
  list(listed: Listed, state?: Standing['state']): Standing;
  remove(which: Which): void;
  record(which: Which, moved: Pick<Batch, 'upTo' | 'asOfMs'>): void;
}

const keyOf = ({ name, generation }: Which) => `${name} ${generation}`;

export const createBoard = (): Board => {
  const standings = new Map<string, Standing>();
  return {
    get standings() {
      return [...standings.values()];
    },
    list(listed, state = 'starting') {
      const known = standings.get(keyOf(listed));
      if (known) return Object.assign(known, listed);
      const standing: Standing = { ...listed, state, error: undefined, position: 0n, asOfMs: 0 };
      standings.set(keyOf(listed), standing);
      return standing;
    },
    remove(which) {
      standings.delete(keyOf(which));
    },
    record(which, { upTo, asOfMs }) {
      const standing = standings.get(keyOf(which));
      if (standing) Object.assign(standing, { position: upTo, asOfMs });
    },
  };
};
