import type { NameInShard } from '@popsvc/domain/partitioning';
import { LeaseHeldElsewhere } from '@popsvc/platform/message-bus';
import { type Postgres, writeProjectionStatuses } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import type { ProjectionName } from '@popsvc/read-models/generations';
import type { Batch } from './batch.ts';
import { LogMismatch } from './event-log.ts';
import { DamagedTables } from './part-recorder.ts';
import { LeaseLost } from './run-ended.ts';

/** `waiting`: another process holds or may hold the lease. `rebuild-needed`: the generation's positions are not valid in this log. */
export type RunState =
  | { readonly state: 'starting' | 'running' | 'waiting'; readonly error: undefined }
  | { readonly state: 'failing' | 'rebuild-needed' | 'damaged'; readonly error: string };

const failedStateOf = (error: unknown): 'failing' | 'rebuild-needed' | 'damaged' => {
  if (error instanceof DamagedTables) return 'damaged';
  return error instanceof LogMismatch ? 'rebuild-needed' : 'failing';
};

export const runStateAfter = (outcome: 'progress' | { readonly error: unknown }): RunState => {
  if (outcome === 'progress') return { state: 'running', error: undefined };
  const { error } = outcome;
  if (error instanceof LeaseLost || error instanceof LeaseHeldElsewhere) return { state: 'waiting', error: undefined };
  return { state: failedStateOf(error), error: error instanceof Error ? error.message : String(error) };
};

/** Loops that follow the log as projections do, but have no tables in ClickHouse. */
export type LogFollowerName = 'liveness' | 'relay' | 'notices' | 'webhooks';

interface RegisteredProjection {
  readonly name: NameInShard<ProjectionName> | LogFollowerName;
  readonly generation: number;
  readonly partition?: number;
  readonly streams: readonly string[];
  /** True if `/readyz` of this process reports the projection while it starts, fails, is damaged or must be rebuilt. */
  readonly isNeeded: boolean;
}

interface Progress {
  readonly position: bigint;
  /** When the newest projected event was appended, in ms since 1970; 0 until this process knows it. */
  readonly asOfMs: number;
}

export type ProjectionStatus = RegisteredProjection & RunState & Progress;

type StatusKey = Pick<RegisteredProjection, 'name' | 'generation' | 'partition'>;

export interface StatusRegistry {
  readonly statuses: readonly ProjectionStatus[];
  /** If it is registered already, updates the registration and keeps the status. */
  register(registered: RegisteredProjection, state?: 'starting' | 'waiting'): void;
  remove(key: StatusKey): void;
  setRunState(key: StatusKey, runState: RunState): void;
  recordBatch(key: StatusKey, batch: Pick<Batch, 'upTo' | 'asOfMs'>): void;
}

const textOf = ({ name, generation, partition = 0 }: StatusKey) => `${name} ${generation} ${partition}`;

export const createStatusRegistry = (): StatusRegistry => {
  const statuses = new Map<string, ProjectionStatus>();
  const update = (key: StatusKey, change: RegisteredProjection | RunState | Progress) => {
    const status = statuses.get(textOf(key));
    if (status) statuses.set(textOf(key), { ...status, ...change });
  };
  return {
    get statuses() {
      return [...statuses.values()];
    },
    register(registered, state = 'starting') {
      if (statuses.has(textOf(registered))) update(registered, registered);
      else statuses.set(textOf(registered), { ...registered, state, error: undefined, position: 0n, asOfMs: 0 });
    },
    remove(key) {
      statuses.delete(textOf(key));
    },
    setRunState: update,
    recordBatch: (key, { upTo, asOfMs }) => update(key, { position: upTo, asOfMs }),
  };
};

const everyMs = 2_000;

/** Writes the statuses every two seconds, so that all processes can read them. Returns a function that stops the writes. */
export const persistStatuses = (
  postgres: Postgres,
  statusRegistry: StatusRegistry,
  owner: string,
  log: Log,
): (() => void) => {
  const writeOwn = async () => {
    // A `waiting` projection may run in another process, which then writes its status.
    const own = statusRegistry.statuses.filter(({ state }) => state !== 'waiting');
    await writeProjectionStatuses(
      postgres,
      own.map(({ name, generation, partition = 0, state, error, asOfMs }) => ({
        projection: name,
        generation,
        partition,
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
