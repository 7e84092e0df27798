import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Log } from '@popsvc/platform/telemetry';
import { UnfoldableEvent } from '../parking/poison.ts';
import type { RunBuildWorkers } from './build.ts';
import type { CountLog, LogCounts } from './log-counter.ts';

/** What is asked of a process: that it builds, or that it counts events of the log; positions as text. */
export type ProcessRequest =
  | { readonly projection: string; readonly generation: number }
  | { readonly prefixes: readonly string[]; readonly upTo: string };

interface ProcessFailure {
  readonly message: string;
  /** The event that cannot be folded, if that is why; its position as text. */
  readonly poison?: {
    readonly position: string;
    readonly stream: string;
    readonly type: string;
    readonly reason: string;
  };
}

/** What it says in the end; and on the way, how many events it has counted. */
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

/** The error as it was on the other side, as far as it matters which it is. */
const toError = (projection: string, { message, poison }: ProcessFailure): Error =>
  poison
    ? new UnfoldableEvent(projection, { ...poison, position: BigInt(poison.position) }, poison.reason)
    : new Error(message);

const program = fileURLToPath(new URL('../../build-worker.js', import.meta.url));
/** A process that was told to end and does not is ended. */
const patienceMs = 10_000;

/** What a process was asked, with what becomes of its words. */
interface ProcessTask {
  readonly request: ProcessRequest;
  /** Named in its errors. */
  readonly projection: string;
  /** The environment it reads its configuration from. */
  readonly env: NodeJS.ProcessEnv;
  readonly onCounted?: (events: number) => void;
}

/** What it says when nothing is left to do; undefined when it ended by itself. */
type ProcessOutcome = { readonly counts: LogCounts | undefined } | undefined;

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
const runProcessTask = async (life: ProcessTask, signal: AbortSignal): Promise<ProcessOutcome> => {
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

/** So often a process may end by itself before the work is given up; what it had begun others go on with. */
const mostDeaths = 5;

interface BuildProcesses {
  readonly count: number;
  readonly log: Log;
  /** The environment its processes read their configuration from. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Processes of their own, which live as long as there is work and give way to everybody else on the machine: the event loop of
 * who asks for it stays free.
 */
export const buildInProcesses =
  (processes: BuildProcesses): RunBuildWorkers =>
  async (building, signal) => {
    const life = new AbortController();
    const ending = AbortSignal.any([signal, life.signal]);
    const isOver = () => ending.aborted;
    const { projection, generation } = building;
    const asked = { projection: projection.name, generation };
    const each = async () => {
      for (let deaths = 0; !isOver(); deaths += 1) {
        if (await runProcessTask({ request: asked, projection: projection.name, env: processes.env }, ending)) return;
        if (isOver()) return;
        processes.log.warn({ projection: projection.name, deaths }, 'a process that built ended by itself');
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

/** Counts in a process of its own, which gives way to everybody else: the event loop of who asks for it stays free. */
export const countLogInProcess =
  ({ env }: Pick<BuildProcesses, 'env'>): CountLog =>
  async ({ prefixes, upTo }, onCounted, signal) => {
    const asked = { prefixes, upTo: upTo.toString() };
    const outcome = await runProcessTask({ request: asked, projection: 'a count', env, onCounted }, signal);
    signal.throwIfAborted();
    if (!outcome?.counts) throw new Error('the process that counted events ended by itself');
    return outcome.counts;
  };
