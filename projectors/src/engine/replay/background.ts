import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Partition } from '@popsvc/domain/partitioning';
import { isServerError } from '@popsvc/platform/clickhouse';
import { LogMismatch } from '../event-log.ts';
import { UnfoldableEvent } from '../parking/parking-errors.ts';
import { LeaseLost } from '../run-ended.ts';
import { type BuildGeneration, type BuildProgress, buildThreads } from './build-generation.ts';
import { StatementRefused } from './errors.ts';

export interface BackgroundRequest {
  readonly projection: string;
  readonly generation: number;
  readonly partition: Partition;
  readonly upTo: bigint;
  readonly threads: number;
  /** A process that replaces a killed one uses the same name, so that it takes over the lease at once. */
  readonly owner: string;
}

type BackgroundFailure =
  | { readonly error: 'unfoldable-event'; readonly item: UnfoldableEvent['item']; readonly reason: string }
  | { readonly error: 'log-mismatch'; readonly reason: string }
  | { readonly error: 'lease-lost' | 'refused' | 'other'; readonly message: string };

export type BackgroundMessage =
  | { readonly kind: 'progress'; readonly progress: BuildProgress }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly failure: BackgroundFailure };

const failureOf = (error: unknown): BackgroundFailure => {
  if (error instanceof UnfoldableEvent) return { error: 'unfoldable-event', item: error.item, reason: error.reason };
  if (error instanceof LogMismatch) return { error: 'log-mismatch', reason: error.reason };
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof LeaseLost) return { error: 'lease-lost', message };
  return { error: isServerError(error) ? 'refused' : 'other', message };
};

export const toFailureMessage = (error: unknown): BackgroundMessage => ({
  kind: 'failed',
  failure: failureOf(error),
});

const toError = (projection: string, failure: BackgroundFailure): Error => {
  switch (failure.error) {
    case 'unfoldable-event':
      return new UnfoldableEvent(projection, failure.item, failure.reason);
    case 'lease-lost':
      return new LeaseLost(failure.message);
    case 'log-mismatch':
      return new LogMismatch(failure.reason);
    case 'refused':
      return new StatementRefused(failure.message);
    case 'other':
      return new Error(failure.message);
  }
};

const program = fileURLToPath(new URL('../../replay-process.js', import.meta.url));
const exitTimeoutMs = 3_000;

const waitForResult = (
  child: ChildProcess,
  projection: string,
  onProgress: (progress: BuildProgress) => void,
): Promise<void> =>
  new Promise((resolve, reject) => {
    child.on('message', (message: BackgroundMessage) => {
      switch (message.kind) {
        case 'progress':
          onProgress(message.progress);
          break;
        case 'done':
          resolve();
          break;
        case 'failed':
          reject(toError(projection, message.failure));
      }
    });
    child.once('exit', () => reject(new Error('the background build process exited unexpectedly')));
    child.once('error', reject);
  });

const endProcess = async (child: ChildProcess): Promise<void> => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  if (child.connected) child.disconnect();
  const timer = setTimeout(() => child.kill('SIGKILL'), exitTimeoutMs);
  await exited;
  clearTimeout(timer);
};

/**
 * Uses a child process, so that the event loop of this process is not blocked. `env`: environment variables that configure the projectors.
 */
export const buildInBackground =
  (env: NodeJS.ProcessEnv): BuildGeneration =>
  async ({ owner }, { projection, generation, partition, upTo, threads = buildThreads.log }, onProgress, signal) => {
    signal.throwIfAborted();
    const child = fork(program, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'], serialization: 'advanced' });
    const end = () => void endProcess(child);
    signal.addEventListener('abort', end);
    try {
      const result = waitForResult(child, projection.name, onProgress);
      const request: BackgroundRequest = { projection: projection.name, generation, partition, upTo, threads, owner };
      // With a callback, a failed `send` emits no `error` event. The exit of the process reports the failure.
      child.send(request, () => undefined);
      await result;
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', end);
      await endProcess(child);
    }
  };
