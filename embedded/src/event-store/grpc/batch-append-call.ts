import { type StreamStore } from '../streams/index.ts';
import { type BatchAppendRequest } from './batch-append-request.ts';
import { type BatchAppendCall, BatchAppends } from './batch-appends.ts';
import { stopping } from './failure.ts';
import { type OpenCalls } from './open-calls.ts';
import { type WriteLimits } from './write-limits.ts';

/** Streams/BatchAppend: one call carries all appends of a client. */
export const batchAppendCall =
  (store: StreamStore, calls: OpenCalls, limits: WriteLimits) =>
  (call: BatchAppendCall): void => {
    const appends = new BatchAppends(store, limits, call);
    const leave = calls.enter(() => call.emit('error', stopping()));
    const gone = (): void => {
      appends.drop();
      leave();
    };
    call.on('data', (request: BatchAppendRequest) => {
      appends.take(request);
      const { log } = store;
      if (log.pendingBytes < limits.pendingBytes || call.isPaused()) return;
      call.pause();
      void log.durable(log.end).then(() => call.resume());
    });
    call.on('end', () => appends.end());
    call.on('cancelled', gone);
    call.on('close', gone);
    call.on('error', gone);
  };
