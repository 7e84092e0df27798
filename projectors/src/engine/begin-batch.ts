import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckpointStore, CheckpointMove } from '@popsvc/platform/postgres';
import { LeaseLost } from './final.ts';

/** Between two questions whether a generation is still held. */
const heldMs = 100;

/** Waits while the generation is held; false when the signal comes first. Nothing of the batch is written by then. */
export const announceBatch = async (
  checkpoints: CheckpointStore,
  move: CheckpointMove,
  assertHeld: () => void,
  signal: AbortSignal,
): Promise<boolean> => {
  for (;;) {
    const begun = await checkpoints.beginBatch(move);
    if (begun === 'begun') return true;
    if (begun === 'lost') throw new LeaseLost('the checkpoint was moved by somebody else');
    if (signal.aborted) return false;
    await sleep(heldMs, undefined, { signal }).catch(() => undefined);
    assertHeld();
  }
};
