import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '@popsvc/platform/runtime';
import { type ChildExit, type ChildOptions, type ChildRun, type ReadyLine, startChild } from './child-process.ts';

export interface RestartPolicy {
  /** The delay doubles with each consecutive restart. */
  readonly initialDelayMs: number;
  readonly maxDelayMs: number;
  /** A process is healthy once it has been ready for this long. */
  readonly healthyAfterMs: number;
  /** The supervisor gives up after this many exits in a row without a healthy run in between. */
  readonly maxConsecutiveExits: number;
}

const defaultRestartPolicy: RestartPolicy = {
  initialDelayMs: 250,
  maxDelayMs: 10_000,
  healthyAfterMs: 30_000,
  maxConsecutiveExits: 8,
};

const restartDelayMs = (policy: RestartPolicy, exits: number): number | undefined =>
  exits >= policy.maxConsecutiveExits
    ? undefined
    : Math.min(policy.maxDelayMs, policy.initialDelayMs * 2 ** (exits - 1));

export interface ProcessOptions extends ChildOptions {
  /** Time within which each run must become ready. Default: 60,000 ms. */
  readonly readyTimeoutMs?: number;
  /** If the signal aborts before the process is ready, the process is stopped and the start fails. */
  readonly signal?: AbortSignal | undefined;
  readonly explainFailure?: (messages: string) => string;
  /** `false` disables restarts. Default: `defaultRestartPolicy`. */
  readonly restart?: RestartPolicy | false;
}

export type SupervisionEnd = { readonly requested: true } | { readonly requested: false; readonly reason: string };

export interface SupervisedProcess {
  readonly name: string;
  /** Undefined while the process does not run. */
  pid(): number | undefined;
  readyLine(): ReadyLine | undefined;
  readonly ended: Promise<SupervisionEnd>;
  stop(): Promise<void>;
}

export class ProcessStartError extends OperatorError {
  override readonly name = 'ProcessStartError';
}

/** Waits until the process is ready. Throws a `ProcessStartError` if the first start fails; this start is not retried. */
export const startSupervisedProcess = async (options: ProcessOptions): Promise<SupervisedProcess> => {
  options.signal?.throwIfAborted();
  const first = startChild(options);
  const stopStart = () => void first.stop();
  options.signal?.addEventListener('abort', stopStart, { once: true });
  const line = await waitUntilReady(options, first).finally(() =>
    options.signal?.removeEventListener('abort', stopStart),
  );
  return supervise(options, first, line);
};

export const stopInReverseOrder = async (processes: readonly { stop(): Promise<void> }[]): Promise<void> => {
  for (const one of processes.toReversed()) await one.stop();
};

const waitUntilReady = async (options: ProcessOptions, run: ChildRun): Promise<ReadyLine | undefined> => {
  const timeoutMs = options.readyTimeoutMs ?? 60_000;
  const timer = new AbortController();
  const outcome = await Promise.race([
    run.ready.then((line) => ({ line })),
    run.exited.then((exit) => ({ failure: describeExit(exit) })),
    sleep(timeoutMs, 'timeout' as const, { signal: timer.signal }),
  ]);
  timer.abort();
  if (outcome !== 'timeout' && 'line' in outcome) return outcome.line;
  const failure = outcome === 'timeout' ? describeTimeout(timeoutMs, run.lastLines()) : outcome.failure;
  await run.stop();
  throw new ProcessStartError(`${options.name} could not start: ${options.explainFailure?.(failure) ?? failure}`);
};

const describeTimeout = (timeoutMs: number, lastLines: string): string =>
  [`it was not ready after ${timeoutMs / 1000} s`, lastLines].filter((text) => text !== '').join('\n');

const describeExit = ({ code, signal, lastLines }: ChildExit): string => {
  if (signal) return `ended by ${signal}`;
  return lastLines || (code === null ? 'it could not be executed' : `exited with code ${code}`);
};

const supervise = (
  options: ProcessOptions,
  firstRun: ChildRun,
  firstLine: ReadyLine | undefined,
): SupervisedProcess => {
  const policy = options.restart === false ? undefined : (options.restart ?? defaultRestartPolicy);
  const stopping = new AbortController();
  const isStopping = (): boolean => stopping.signal.aborted;
  let run: ChildRun | undefined = firstRun;
  let line = firstLine;
  const report = (text: string): void => options.onLine?.({ name: options.name, from: 'supervisor', text });

  const restartUntilStopped = async (): Promise<SupervisionEnd> => {
    let exits = 0;
    let readySince = Date.now();
    for (;;) {
      const reason = await waitForRunToEnd();
      if (isStopping()) return { requested: true };
      exits = policy && Date.now() - readySince >= policy.healthyAfterMs ? 1 : exits + 1;
      const delayMs = policy && restartDelayMs(policy, exits);
      if (delayMs === undefined) {
        report(`not restarted again: ${reason}`);
        return { requested: false, reason: `${options.name} exited ${exits} times in a row: ${reason}` };
      }
      report(`exited (${reason}), restarting in ${delayMs} ms`);
      await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (isStopping()) return { requested: true };
      run = startChild(options);
      // If the new run did not become ready, the next iteration counts that as an exit.
      readySince = await waitForRestart(run);
    }
  };
  const waitForRunToEnd = async (): Promise<string> => {
    const exit = run && (await run.exited);
    run = undefined;
    return exit ? describeExit(exit) : 'it is not running';
  };
  const waitForRestart = async (next: ChildRun): Promise<number> => {
    try {
      line = await waitUntilReady(options, next);
      report('ready again');
      return Date.now();
    } catch (error) {
      if (!isStopping()) report(error instanceof Error ? error.message : String(error));
      return Number.POSITIVE_INFINITY;
    }
  };

  const ended = restartUntilStopped();
  return {
    name: options.name,
    pid: () => run?.pid,
    readyLine: () => line,
    ended,
    stop: async () => {
      stopping.abort();
      await run?.stop();
      await ended;
    },
  };
};
