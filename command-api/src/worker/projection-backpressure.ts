import { setTimeout as sleep } from 'node:timers/promises';
import { createSampler } from '@popsvc/platform/runtime';

export interface StoredAppend {
  readonly network: number;
  readonly rows: number;
  readonly position: bigint;
}

/** Limits how many rows of bulk files the log contains that projections have not processed yet. */
export interface ProjectionBackpressure {
  recordAppend(append: StoredAppend): void;
  /**
   * Waits while too many rows are not projected yet. Does not wait if none of these rows belongs to the network. Ends within half a
   * second once `isStopping` returns true.
   */
  waitForProjection(network: number, isStopping: () => boolean): Promise<void>;
}

export interface BackpressureOptions {
  /** Returns the time on a monotonic clock, in ms. */
  readonly now?: () => number;
  readonly wait?: (ms: number) => Promise<unknown>;
}

/**
 * Jobs wait while at least this many rows of their process are in the log but not projected. Projections read the log in order, so plays of
 * other networks wait behind these rows.
 */
const maxRowsAhead = 12_000;
const pollMs = 250;
/**
 * If the checkpoint of a projection has not moved for this time, the projection is paused or fails. Rows that wait for it then no
 * longer count, because the log must accept what vendors send whether or not it is projected.
 */
const maxStillMs = 10_000;
/** Maximum number of appends that are remembered while the projection does not move; limits memory. */
const maxRecordedAppends = 10_000;

const sumRows = (appends: readonly StoredAppend[]): number => appends.reduce((sum, { rows }) => sum + rows, 0);

/**
 * Creates the backpressure that all jobs of a process share. `readPositions` returns the projected log position for each last digit
 * of network ids. Rows of a network without a position are not limited. No rows are limited while `readPositions` fails.
 */
export const createProjectionBackpressure = (
  readPositions: () => Promise<ReadonlyMap<number, bigint>>,
  { now = () => performance.now(), wait = sleep }: BackpressureOptions = {},
): ProjectionBackpressure => {
  const samplePositions = createSampler(readPositions, { maxAgeMs: pollMs, timeoutMs: pollMs, now });
  let checkpoints = new Map<number, { readonly position: bigint; readonly movedAtMs: number }>();
  let appends: StoredAppend[] = [];
  const checkpointOf = ({ network }: StoredAppend) => checkpoints.get(network % 10);

  /** Returns the appends that are not projected yet, without those whose projection does not move. */
  const readAhead = async (): Promise<readonly StoredAppend[]> => {
    const positions = (await samplePositions()) ?? new Map<number, bigint>();
    const readAtMs = now();
    checkpoints = new Map(
      Array.from(positions, ([digit, position]) => {
        const known = checkpoints.get(digit);
        return [digit, known?.position === position ? known : { position, movedAtMs: readAtMs }];
      }),
    );
    appends = appends.filter((append) => append.position > (checkpointOf(append)?.position ?? 0n));
    return appends.filter((append) => readAtMs - (checkpointOf(append)?.movedAtMs ?? -Infinity) < maxStillMs);
  };
  const mustWait = async (network: number): Promise<boolean> => {
    const ahead = await readAhead();
    // A network without rows ahead does not wait, so a small file does not wait for large files of other networks.
    return ahead.some((append) => append.network === network) && sumRows(ahead) >= maxRowsAhead;
  };
  return {
    recordAppend(append) {
      appends.push(append);
      if (appends.length > maxRecordedAppends) appends.shift();
    },
    async waitForProjection(network, isStopping) {
      while (!isStopping() && (await mustWait(network))) await wait(pollMs);
    },
  };
};
