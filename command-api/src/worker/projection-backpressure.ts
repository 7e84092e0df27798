import { setTimeout as sleep } from 'node:timers/promises';
import { createSampler } from '@popsvc/platform/runtime';

export interface StoredAppend {
  readonly network: number;
  readonly rows: number;
  readonly position: bigint;
}

/** Limits how far the rows of bulk files may be ahead of their projection. */
export interface ProjectionBackpressure {
  recordAppend(append: StoredAppend): void;
  /**
   * Waits while too many rows are not projected yet, unless none of them is of this network. Ends within half a second once `isStopping`
   * returns true.
   */
  waitForProjection(network: number, isStopping: () => boolean): Promise<void>;
}

export interface BackpressureOptions {
  /** Returns the time on a monotonic clock, in ms. */
  readonly now?: () => number;
  readonly wait?: (ms: number) => Promise<unknown>;
}

/**
 * Number of rows of one worker process that may be in the log and not in the reports. A play of another network waits behind these rows,
 * usually for about a second, because projections read the log in order.
 */
const maxRowsAhead = 12_000;
const pollMs = 250;
/**
 * A projection whose checkpoint has not moved for this time is paused or fails, and does not delay rows: the log stores what vendors
 * send whether or not it is projected.
 */
const maxStillMs = 10_000;
/** Limit of the memory for appends while the projection does not move. */
const maxRecordedAppends = 10_000;

const sumRows = (appends: readonly StoredAppend[]): number => appends.reduce((sum, { rows }) => sum + rows, 0);

/**
 * Creates the backpressure that all jobs of a process share. `readPositions` returns the projected positions of networks by the last
 * digit of their id. Rows of a network without a position are not limited, nor are any while `readPositions` fails.
 */
export const createProjectionBackpressure = (
  readPositions: () => Promise<ReadonlyMap<number, bigint>>,
  { now = () => performance.now(), wait = sleep }: BackpressureOptions = {},
): ProjectionBackpressure => {
  const samplePositions = createSampler(readPositions, { maxAgeMs: pollMs, timeoutMs: pollMs, now });
  let checkpoints = new Map<number, { readonly position: bigint; readonly movedAtMs: number }>();
  let appends: StoredAppend[] = [];
  const checkpointOf = ({ network }: StoredAppend) => checkpoints.get(network % 10);

  /** Returns the appends that are not projected yet. */
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
    // A small file does not wait for the large ones of other networks.
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
