import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessOptions, ReadyLine } from './part-options.ts';

export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last lines it wrote to standard error: usually the reason. */
  readonly lastLines: string;
}

/** One process of a part, from its start to its death. */
export interface ChildRun {
  readonly pid: number | undefined;
  /** The line with which it said so, if its part says so by a line. */
  readonly ready: Promise<ReadyLine | undefined>;
  readonly exited: Promise<ChildExit>;
  /** Asks it to stop, insists with SIGKILL after the part's deadline, and waits for its end. */
  stop(): Promise<void>;
}

const LAST_WORDS = 6;

export const startChild = (part: ProcessOptions): ChildRun => {
  const [command = '', ...args] =
    'entry' in part.run ? [process.execPath, '--enable-source-maps', part.run.entry] : part.run.command;
  const child = spawn(command, args, {
    env: { ...process.env, ...part.env, STOP_WITH_PARENT: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own: Ctrl-C reaches the supervisor alone, which stops the parts in order.
    detached: true,
    ...part.user,
  });
  // The pipe is only there to end when we do; writing to it never happens, and its breaking is no news.
  child.stdin.on('error', () => undefined);

  const lastWords: string[] = [];
  const readyLine = new Promise<ReadyLine>((resolve) => {
    createInterface(child.stdout).on('line', (text) => {
      const line = part.ready === 'json-line' ? asReadyLine(text) : undefined;
      if (line) resolve(line);
      else part.onLine?.({ name: part.name, from: 'stdout', text });
    });
  });
  createInterface(child.stderr).on('line', (text) => {
    lastWords.push(text);
    if (lastWords.length > LAST_WORDS) lastWords.shift();
    part.onLine?.({ name: part.name, from: 'stderr', text });
  });

  const death = deathOf(child, lastWords);
  const ready = part.ready === 'json-line' ? readyLine : polled(part.ready, death);
  return { pid: child.pid, ready, exited: death, stop: () => stop(child, part, death) };
};

const asReadyLine = (text: string): ReadyLine | undefined => {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'ready' in value && value.ready === true
      ? (value as ReadyLine)
      : undefined;
  } catch {
    return undefined;
  }
};

const deathOf = (child: ChildProcess, lastWords: readonly string[]): Promise<ChildExit> =>
  new Promise((resolve) => {
    // A command that cannot be started at all has 'error' and never 'exit'.
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({ code: null, signal: null, lastLines: error.message });
    });
    child.once('exit', (code, signal) => {
      const end = (): void => resolve({ code, signal, lastLines: lastWords.join('\n') });
      // Its last words may still be in the pipe; a grandchild that keeps the pipe open is not waited for.
      child.once('close', end);
      setTimeout(end, 500).unref();
    });
  });

const polled = async (ask: () => Promise<boolean>, death: Promise<ChildExit>): Promise<undefined> => {
  const dead = new AbortController();
  void death.then(() => dead.abort());
  while (!(await ask().catch(() => false)))
    // The dead never become ready: whoever waits hears of the death instead.
    if (dead.signal.aborted) return new Promise<undefined>(() => undefined);
    else await sleep(50);
  return undefined;
};

const stop = async (child: ChildProcess, part: ProcessOptions, death: Promise<ChildExit>): Promise<void> => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill(part.stopSignal ?? 'SIGTERM');
  const insist = setTimeout(() => killGroup(child.pid), part.stopTimeoutMs ?? 8_000);
  await death;
  clearTimeout(insist);
};

const killGroup = (pid: number | undefined): void => {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended in the meantime.
  }
};
