import type { livenessName } from '../projections/liveness/monitor.ts';
import type { relayName } from '../projections/relay/relay.ts';
import type { ProjectionName } from '@popsvc/read-models/generations';
import type { Batch } from './batch.ts';
import type { RunState } from './runner/supervise.ts';

/** One that this process works on, or waits for. */
export interface RegisteredProjection {
  readonly name: ProjectionName | typeof livenessName | typeof relayName;
  readonly generation: number;
  readonly streams: readonly string[];
  /** Whether the service is not ready without it. */
  readonly isNeeded: boolean;
}

export interface ProjectionStatus extends RegisteredProjection, RunState {
  position: bigint;
  /** When the newest projected event was appended, ms since 1970; 0 before the first. */
  asOfMs: number;
}

type Which = Pick<RegisteredProjection, 'name' | 'generation'>;

/** How each generation of each projection stands that this process works on. */
export interface StatusRegistry {
  readonly statuses: readonly ProjectionStatus[];
  /** Lists another, or tells how one that is listed stands. */
  register(listed: RegisteredProjection, state?: ProjectionStatus['state']): ProjectionStatus;
  remove(which: Which): void;
  recordBatch(which: Which, moved: Pick<Batch, 'upTo' | 'asOfMs'>): void;
}

const keyOf = ({ name, generation }: Which) => `${name} ${generation}`;

export const createStatusRegistry = (): StatusRegistry => {
  const standings = new Map<string, ProjectionStatus>();
  return {
    get statuses() {
      return [...standings.values()];
    },
    register(listed, state = 'starting') {
      const known = standings.get(keyOf(listed));
      if (known) return Object.assign(known, listed);
      const standing: ProjectionStatus = { ...listed, state, error: undefined, position: 0n, asOfMs: 0 };
      standings.set(keyOf(listed), standing);
      return standing;
    },
    remove(which) {
      standings.delete(keyOf(which));
    },
    recordBatch(which, { upTo, asOfMs }) {
      const standing = standings.get(keyOf(which));
      if (standing) Object.assign(standing, { position: upTo, asOfMs });
    },
  };
};
