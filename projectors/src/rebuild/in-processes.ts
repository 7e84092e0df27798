import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Log } from '@popsvc/platform/runtime';
import type { Building, Hands } from './build.ts';
import { errorOf, type Told } from './told.ts';

const program = fileURLToPath(new URL('./main.js', import.meta.url));
/** A process that was told to end and does not is ended. */
const patienceMs = 10_000;
/** So often a process may end by itself before the work is given up; what it had begun others go on with. */
const mostDeaths = 5;

export interface Processes {
  readonly count: number;
  readonly log: Log;
  /** The environment its processes read their configuration from. */
  readonly env: NodeJS.ProcessEnv;
}

/** True when the process says that nothing is left; false when it ended by itself. */
const outcome = (child: ChildProcess, projection: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    child.once('message', (told: Told) => {
      if ('done' in told) resolve(true);
      else reject(errorOf(projection, told.failed));
    });
    child.once('exit', () => resolve(false));
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

const oneLife = async ({ env }: Processes, { projection, generation }: Building, signal: AbortSignal) => {
  const child = fork(program, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const leave = () => void end(child);
  signal.addEventListener('abort', leave);
  try {
    child.send({ projection: projection.name, generation });
    return await outcome(child, projection.name);
  } finally {
    signal.removeEventListener('abort', leave);
    await end(child);
  }
};

/**
 * Processes of their own, which live as long as there is work and give way to everybody else on the machine: the event loop of
 * who asks for it stays free.
 */
export const inProcesses =
  (processes: Processes): Hands =>
  async (building, signal) => {
    const life = new AbortController();
    const ending = AbortSignal.any([signal, life.signal]);
    const isOver = () => ending.aborted;
    const each = async () => {
      for (let deaths = 0; !isOver(); deaths += 1) {
        if (await oneLife(processes, building, ending)) return;
        if (isOver()) return;
        processes.log.warn({ projection: building.projection.name, deaths }, 'a process that built ended by itself');
        if (deaths >= mostDeaths) throw new Error('processes that build end by themselves, again and again');
      }
    };
    const hands = Array.from({ length: processes.count }, async () => {
      try {
        await each();
      } catch (error) {
        life.abort(error);
        throw error;
      }
    });
    await Promise.allSettled(hands);
    signal.throwIfAborted();
    await Promise.all(hands);
  };
