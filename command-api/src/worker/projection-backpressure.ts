import { setTimeout as sleep } from 'node:timers/promises';
import { createSampler } from '@popsvc/platform/runtime';

export interface StoredAppend {
  readonly network: number;
  readonly rows: number;
  readonly position: bigint;
}

export interface ProjectionBackpressure {
  recordAppend(append: StoredAppend): void;
  /**
   * Waits while too many stored rows are not projected and one of them belongs to the network. Ends soon after `isStopping` returns true.
   */
  waitForProjection(network: number, isStopping: () => boolean): Promise<void>;
}

export interface BackpressureOptions {
  /** Ms on a monotonic clock. */
  readonly now?: () => number;
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** Projections read the log in order, so plays of other networks wait behind the rows of this process. */
const maxRowsAhead = 12_000;
const pollMs = 250;
/**
 * A projection that does not move for this long is paused or fails. Its rows no longer count, because the log must accept what vendors
 * send.
 */
const maxStillMs = 10_000;
/** Limits memory while the projection does not move. */
const maxRecordedAppends = 10_000;

const sumRows = (appends: readonly StoredAppend[]): number => appends.reduce((sum, { rows }) => sum + rows, 0);

/** `readPositions`: projected log position by last digit of the network id. Nothing waits while `readPositions` fails. */
export const createProjectionBackpressure = (
  readPositions: () => Promise<ReadonlyMap<number, bigint>>,
  { now = () => performance.now(), wait = sleep }: BackpressureOptions = {},
): ProjectionBackpressure => {
  const samplePositions = createSampler(readPositions, { maxAgeMs: pollMs, timeoutMs: pollMs, now });
  let checkpoints = new Map<number, { readonly position: bigint; readonly movedAtMs: number }>();
  let appends: StoredAppend[] = [];
  const checkpointOf = ({ network }: StoredAppend) => checkpoints.get(network % 10);

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
    // A small file must not wait for large files of other networks.
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
