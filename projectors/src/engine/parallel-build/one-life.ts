import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { LogCounts } from './count-log.ts';
import { type Asked, errorOf, type Told } from './told.ts';

const program = fileURLToPath(new URL('../../build-worker.js', import.meta.url));
/** A process that was told to end and does not is ended. */
const patienceMs = 10_000;

/** What a process was asked, with what becomes of its words. */
export interface Life {
  readonly asked: Asked;
  /** Named in its errors. */
  readonly projection: string;
  /** The environment it reads its configuration from. */
  readonly env: NodeJS.ProcessEnv;
  readonly onCounted?: (events: number) => void;
}

/** What it says when nothing is left to do; undefined when it ended by itself. */
export type Outcome = { readonly counts: LogCounts | undefined } | undefined;

const outcome = (child: ChildProcess, { projection, onCounted }: Life): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    child.on('message', (told: Told) => {
      if ('counted' in told) onCounted?.(told.counted);
      else if ('done' in told) resolve({ counts: told.counts });
      else reject(errorOf(projection, told.failed));
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
export const oneLife = async (life: Life, signal: AbortSignal): Promise<Outcome> => {
  const child = fork(program, { env: life.env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const leave = () => void end(child);
  signal.addEventListener('abort', leave);
  try {
    child.send(life.asked);
    return await outcome(child, life);
  } finally {
    signal.removeEventListener('abort', leave);
    await end(child);
  }
};
