import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Log } from '@popsvc/platform/telemetry';
import { UnfoldableEvent } from '../parking/poison.ts';
import type { RunBuildWorkers } from './build.ts';
import type { CountLog, LogCounts } from './log-counter.ts';

/** Request to a child process: build a generation, or count events of the log. Positions are text. */
export type ProcessRequest =
  | { readonly projection: string; readonly generation: number }
  | { readonly prefixes: readonly string[]; readonly upTo: string };

interface ProcessFailure {
  readonly message: string;
  /** The event that cannot be folded, if that is the cause; its position is text. */
  readonly poison?: {
    readonly position: string;
    readonly stream: string;
    readonly type: string;
    readonly reason: string;
  };
}

/** Message from a child process: the result, or the number of events counted so far. */
export type ProcessMessage =
  | { readonly done: true; readonly counts?: LogCounts }
  | { readonly failed: ProcessFailure }
  | { readonly counted: number };

export const toFailureMessage = (error: unknown): ProcessMessage => {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof UnfoldableEvent)) return { failed: { message } };
  const { event, reason } = error;
  return { failed: { message, poison: { ...event, position: event.position.toString(), reason } } };
};

/** Restores the error of a child process, with its class where callers depend on it. */
const toError = (projection: string, { message, poison }: ProcessFailure): Error =>
  poison
    ? new UnfoldableEvent(projection, { ...poison, position: BigInt(poison.position) }, poison.reason)
    : new Error(message);

const program = fileURLToPath(new URL('../../build-worker.js', import.meta.url));
/** A child process that does not exit in time is killed. */
const exitTimeoutMs = 10_000;

/** The request and the handlers of one child process. */
interface ProcessTask {
  readonly request: ProcessRequest;
  /** Named in error messages. */
  readonly projection: string;
  /** Environment with the configuration of the process. */
  readonly env: NodeJS.ProcessEnv;
  readonly onCounted?: (events: number) => void;
}

/** Result of a child process; undefined when it exited without one. */
type ProcessOutcome = { readonly counts: LogCounts | undefined } | undefined;

const outcome = (child: ChildProcess, { projection, onCounted }: ProcessTask): Promise<ProcessOutcome> =>
  new Promise((resolve, reject) => {
    child.on('message', (message: ProcessMessage) => {
      if ('counted' in message) onCounted?.(message.counted);
      else if ('done' in message) resolve({ counts: message.counts });
      else reject(toError(projection, message.failed));
    });
    child.once('exit', () => resolve(undefined));
    child.once('error', reject);
  });

/** Disconnects from the child process, which makes it exit; resolves when it has. */
const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  if (child.connected) child.disconnect();
  const timer = setTimeout(() => child.kill('SIGKILL'), exitTimeoutMs);
  await exited;
  clearTimeout(timer);
};

/** Runs one request in a child process, which exits afterwards or when the signal aborts. */
const runProcessTask = async (task: ProcessTask, signal: AbortSignal): Promise<ProcessOutcome> => {
  const child = fork(program, { env: task.env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const leave = () => void end(child);
  signal.addEventListener('abort', leave);
  try {
    child.send(task.request);
    return await outcome(child, task);
  } finally {
    signal.removeEventListener('abort', leave);
    await end(child);
  }
};

/** Maximum number of unexpected exits of one worker. Other workers continue its parts. */
const maxUnexpectedExits = 5;

interface BuildProcesses {
  readonly count: number;
  readonly log: Log;
  /** Environment with the configuration of the processes. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Builds in child processes with low priority, which exclude heavy work from this event loop and exit when nothing is
 * left to do.
 */
export const buildInProcesses =
  (processes: BuildProcesses): RunBuildWorkers =>
  async (building, signal) => {
    const task = new AbortController();
    const ending = AbortSignal.any([signal, task.signal]);
    const isOver = () => ending.aborted;
    const { projection, generation } = building;
    const request = { projection: projection.name, generation };
    const each = async () => {
      for (let exits = 0; !isOver(); exits += 1) {
        if (await runProcessTask({ request, projection: projection.name, env: processes.env }, ending)) return;
        if (isOver()) return;
        processes.log.warn({ projection: projection.name, exits }, 'build process exited unexpectedly');
        if (exits >= maxUnexpectedExits) throw new Error('build processes exit unexpectedly again and again');
      }
    };
    const workers = Array.from({ length: processes.count }, async () => {
      try {
        await each();
      } catch (error) {
        task.abort(error);
        throw error;
      }
    });
    await Promise.allSettled(workers);
    signal.throwIfAborted();
    await Promise.all(workers);
  };

/** Counts events of the log in a child process with low priority, which keeps this event loop free. */
export const countLogInProcess =
  ({ env }: Pick<BuildProcesses, 'env'>): CountLog =>
  async ({ prefixes, upTo }, onCounted, signal) => {
    const request = { prefixes, upTo: upTo.toString() };
    const outcome = await runProcessTask({ request, projection: 'a count', env, onCounted }, signal);
    signal.throwIfAborted();
    if (!outcome?.counts) throw new Error('the process that counts events exited unexpectedly');
    return outcome.counts;
  };
