import { parentPort } from 'node:worker_threads';
import { checkSegment, type SegmentCheck } from './scan.ts';

export interface CheckRequest {
  readonly id: number;
  readonly path: string;
  readonly base: number;
  readonly upTo?: number | undefined;
  readonly bytesPerSecond?: number | undefined;
}

export type CheckResponse = { readonly id: number } & (
  { readonly check: SegmentCheck } | { readonly error: string; readonly code: string | undefined }
);

const clock = new Int32Array(new SharedArrayBuffer(4));

/** Blocks the thread until the average speed is at most `bytesPerSecond`. */
const limitSpeed = (bytesPerSecond: number): ((bytes: number) => void) => {
  const began = performance.now();
  let read = 0;
  return (bytes) => {
    read += bytes;
    const aheadMs = (read / bytesPerSecond) * 1_000 - (performance.now() - began);
    if (aheadMs > 0) Atomics.wait(clock, 0, 0, aheadMs);
  };
};

parentPort?.on('message', ({ id, path, base, upTo, bytesPerSecond }: CheckRequest) => {
  let response: CheckResponse;
  try {
    const onRead = bytesPerSecond === undefined ? undefined : limitSpeed(bytesPerSecond);
    response = {
      id,
      check: checkSegment(path, base, { ...(upTo !== undefined && { upTo }), ...(onRead && { onRead }) }),
    };
  } catch (error) {
    response = { id, error: (error as Error).message, code: (error as NodeJS.ErrnoException).code };
  }
  parentPort?.postMessage(response);
});
