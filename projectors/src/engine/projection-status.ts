import { type Postgres, writeProjectionStatuses } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import type { ProjectionName } from '@popsvc/read-models/generations';
import type { Batch } from './batch.ts';

export interface RunState {
  state: 'starting' | 'running' | 'waiting' | 'failing';
  error: string | undefined;
}

/** A generation that this process runs or waits for. The liveness monitor and the relay are listed too. */
interface RegisteredProjection {
  readonly name: ProjectionName | 'liveness' | 'relay';
  readonly generation: number;
  readonly streams: readonly string[];
  /** Whether readiness of the service depends on it. */
  readonly isNeeded: boolean;
}

export interface ProjectionStatus extends RegisteredProjection, RunState {
  position: bigint;
  /** When the newest projected event was appended, in ms since 1970; 0 before the first. */
  asOfMs: number;
}

type Which = Pick<RegisteredProjection, 'name' | 'generation'>;

/** The status of each generation that this process runs or waits for. */
export interface StatusRegistry {
  readonly statuses: readonly ProjectionStatus[];
  /** Adds a generation, or updates the registration of a known one and keeps its status. */
  register(listed: RegisteredProjection, state?: ProjectionStatus['state']): ProjectionStatus;
  remove(which: Which): void;
  recordBatch(which: Which, moved: Pick<Batch, 'upTo' | 'asOfMs'>): void;
}

const keyOf = ({ name, generation }: Which) => `${name} ${generation}`;

export const createStatusRegistry = (): StatusRegistry => {
  const statuses = new Map<string, ProjectionStatus>();
  return {
    get statuses() {
      return [...statuses.values()];
    },
    register(listed, state = 'starting') {
      const known = statuses.get(keyOf(listed));
      if (known) return Object.assign(known, listed);
      const status: ProjectionStatus = { ...listed, state, error: undefined, position: 0n, asOfMs: 0 };
      statuses.set(keyOf(listed), status);
      return status;
    },
    remove(which) {
      statuses.delete(keyOf(which));
    },
    recordBatch(which, { upTo, asOfMs }) {
      const status = statuses.get(keyOf(which));
      if (status) Object.assign(status, { position: upTo, asOfMs });
    },
  };
};

const everyMs = 2_000;

/**
 * Writes the statuses of this process to PostgreSQL every two seconds, where every process reads them. Returns a
 * function that stops it.
 */
export const persistStatuses = (postgres: Postgres, board: StatusRegistry, owner: string, log: Log): (() => void) => {
  const writeOwn = async () => {
    // The process that holds the lease writes the status of a waiting projection.
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
  const heartbeat = () =>
    void writeOwn().catch((err: unknown) => log.warn({ err }, 'failed to write projection statuses'));
  heartbeat();
  const timer = setInterval(heartbeat, everyMs);
  return () => clearInterval(timer);
};
