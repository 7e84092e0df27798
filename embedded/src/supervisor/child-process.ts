import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** The JSON line that a child may print on standard output when it is ready: `{"ready":true,"port":8123}`. */
export type ReadyLine = Readonly<Record<string, unknown>> & { readonly ready: true };

export interface ProcessLine {
  readonly name: string;
  readonly from: 'stdout' | 'stderr' | 'supervisor';
  readonly text: string;
}

export interface ChildOptions {
  readonly name: string;
  readonly run: { readonly entry: string } | { readonly command: readonly string[] };
  /** Added to the environment of this process, or used alone without `inheritsEnvironment`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: true. */
  readonly inheritsEnvironment?: boolean;
  /** Default: the user of this process. Only root can specify another user. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /**
   * With `json-line`, the child prints a ReadyLine. A function is called repeatedly until it resolves with true; a rejection counts as
   * not ready.
   */
  readonly ready: 'json-line' | (() => Promise<boolean>);
  /** Default: SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
  /** Time between the stop signal and SIGKILL. Default: 8,000 ms. */
  readonly stopTimeoutMs?: number;
  /** Called with each line of output except the ReadyLine, and with the supervisor's messages. */
  readonly onLine?: (line: ProcessLine) => void;
}

export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Of standard error; usually they contain the reason for the exit. */
  readonly lastLines: string;
}

export interface ChildRun {
  readonly pid: number | undefined;
  /** Resolves with the ReadyLine, if the child prints one. Never settles if the child exits first. */
  readonly ready: Promise<ReadyLine | undefined>;
  readonly exited: Promise<ChildExit>;
  readonly lastLines: () => string;
  /** After `stopTimeoutMs`, kills the child's process group. */
  stop(): Promise<void>;
}

const maxLastLines = 6;

export const startChild = (options: ChildOptions): ChildRun => {
  const [command = '', ...args] =
    'entry' in options.run ? [process.execPath, '--enable-source-maps', options.run.entry] : options.run.command;
  const child = spawn(command, args, {
    env: { ...((options.inheritsEnvironment ?? true) && process.env), ...options.env, STOP_WITH_PARENT: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
    // Ctrl-C reaches only the supervisor's own process group, so that it can stop its processes in order.
    detached: true,
    ...options.user,
  });
  // The pipe closes when this process ends; Node.js children then stop. Without a listener for 'error', an error on the pipe would crash
  // this process.
  child.stdin.on('error', () => undefined);

  const lastLines: string[] = [];
  const readyLine = new Promise<ReadyLine>((resolve) => {
    createInterface(child.stdout).on('line', (text) => {
      const line = options.ready === 'json-line' ? parseReadyLine(text) : undefined;
      if (line) resolve(line);
      else options.onLine?.({ name: options.name, from: 'stdout', text });
    });
  });
  createInterface(child.stderr).on('line', (text) => {
    lastLines.push(text);
    if (lastLines.length > maxLastLines) lastLines.shift();
    options.onLine?.({ name: options.name, from: 'stderr', text });
  });

  const exited = waitForExit(child, lastLines);
  const ready = options.ready === 'json-line' ? readyLine : pollUntilReady(options.ready, exited);
  return {
    pid: child.pid,
    ready,
    exited,
    lastLines: () => lastLines.join('\n'),
    stop: () => stopChild(child, options, exited),
  };
};

const parseReadyLine = (text: string): ReadyLine | undefined => {
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

const waitForExit = (child: ChildProcess, lastLines: readonly string[]): Promise<ChildExit> =>
  new Promise((resolve) => {
    // A command that cannot be started emits 'error' and never 'exit'.
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({ code: null, signal: null, lastLines: error.message });
    });
    child.once('exit', (code, signal) => {
      const finish = (): void => resolve({ code, signal, lastLines: lastLines.join('\n') });
      // After the exit, the pipes may still contain the last lines. The timeout covers a grandchild that keeps the pipes open.
      child.once('close', finish);
      setTimeout(finish, 500).unref();
    });
  });

const pollUntilReady = async (isReady: () => Promise<boolean>, exited: Promise<ChildExit>): Promise<undefined> => {
  const ended = new AbortController();
  void exited.then(() => ended.abort());
  while (!(await isReady().catch(() => false)))
    if (ended.signal.aborted) return new Promise<undefined>(() => undefined);
    else await sleep(50);
  return undefined;
};

const stopChild = async (child: ChildProcess, options: ChildOptions, exited: Promise<ChildExit>): Promise<void> => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill(options.stopSignal ?? 'SIGTERM');
  const killTimer = setTimeout(() => killProcessGroup(child.pid), options.stopTimeoutMs ?? 8_000);
  await exited;
  clearTimeout(killTimer);
};

const killProcessGroup = (pid: number | undefined): void => {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has ended in the meantime.
  }
};
