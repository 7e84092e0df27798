import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { LogCounts } from './count-log.ts';
import { type ProcessRequest, toError, type ProcessMessage } from './told.ts';

const program = fileURLToPath(new URL('../../build-worker.js', import.meta.url));
/** A process that was told to end and does not is ended. */
const patienceMs = 10_000;

/** What a process was asked, with what becomes of its words. */
export interface ProcessTask {
  readonly request: ProcessRequest;
  /** Named in its errors. */
  readonly projection: string;
  /** The environment it reads its configuration from. */
  readonly env: NodeJS.ProcessEnv;
  readonly onCounted?: (events: number) => void;
}

/** What it says when nothing is left to do; undefined when it ended by itself. */
export type ProcessOutcome = { readonly counts: LogCounts | undefined } | undefined;

const outcome = (child: ChildProcess, { projection, onCounted }: ProcessTask): Promise<ProcessOutcome> =>
  new Promise((resolve, reject) => {
    child.on('message', (told: ProcessMessage) => {
      if ('counted' in told) onCounted?.(told.counted);
      else if ('done' in told) resolve({ counts: told.counts });
      else reject(toError(projection, told.failed));
    });
    child.once('exit', () => resolve(undefined));
    child.once('error', reject);
  });

/** Closes the line, at which the process ends; resolves when it has. */
const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  if (child.connected) child.disconnect();
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await exited;
  clearTimeout(timer);
};

/** A process that does what it is asked, and is gone then, or with the signal. */
export const runProcessTask = async (life: ProcessTask, signal: AbortSignal): Promise<ProcessOutcome> => {
  const child = fork(program, { env: life.env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const leave = () => void end(child);
  signal.addEventListener('abort', leave);
  try {
    child.send(life.request);
    return await outcome(child, life);
  } finally {
    signal.removeEventListener('abort', leave);
    await end(child);
  }
};
