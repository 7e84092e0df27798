import { type Postgres, writeProjectionStatuses } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import type { ProjectionName } from '@popsvc/read-models/generations';
import type { Batch } from './batch.ts';

export interface RunState {
  state: 'starting' | 'running' | 'waiting' | 'failing';
  error: string | undefined;
}

/** One that this process works on, or waits for. */
interface RegisteredProjection {
  readonly name: ProjectionName | 'liveness' | 'relay';
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

const everyMs = 2_000;

/** Writes down every two seconds how what this process works on stands, so that every process can tell. Returns what ends it. */
export const persistStatuses = (postgres: Postgres, board: StatusRegistry, owner: string, log: Log): (() => void) => {
  const tell = async () => {
    // Of what waits, the process that has it tells.
    const own = board.statuses.filter(({ state }) => state !== 'waiting');
    await writeProjectionStatuses(
      postgres,
      own.map(({ name, generation, state, error, asOfMs }) => ({
        projection: name,
        generation,
        state,
        error,
        owner,
        asOfMs,
      })),
    );
  };
  const beat = () => void tell().catch((err: unknown) => log.warn({ err }, 'how projections stand was not written'));
  beat();
  const timer = setInterval(beat, everyMs);
  return () => clearInterval(timer);
};
