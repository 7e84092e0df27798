import { standardOutput } from '../telemetry/log.ts';
import { describeFailure } from './operator-error.ts';

export type StopFunction = () => Promise<void> | void;

export interface ProcessLifecycle {
  /** Opens a component. If opening fails, closes all components that were opened before. */
  start<Part>(open: () => Promise<readonly [Part, StopFunction]> | readonly [Part, StopFunction]): Promise<Part>;
  /** Closes from the newest to the oldest, even if one fails to close. Rejects with an AggregateError if any has failed. */
  stop(): Promise<void>;
}

const createProcessLifecycle = (): ProcessLifecycle => {
  const stops: StopFunction[] = [];
  const stop = async () => {
    const failures: unknown[] = [];
    for (let close = stops.pop(); close; close = stops.pop()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'some components failed to close');
  };
  return {
    stop,
    async start(open) {
      try {
        const [part, close] = await open();
        stops.push(close);
        return part;
      } catch (error) {
        await stop().catch(() => undefined);
        throw error;
      }
    },
  };
};

export const onProcessSignal = (signals: readonly NodeJS.Signals[], stop: () => void): void => {
  let isStopping = false;
  const stopOnce = () => {
    if (isStopping) return;
    isStopping = true;
    stop();
  };
  for (const signal of signals) process.on(signal, stopOnce);
};

/** With STOP_WITH_PARENT=1, standard input is a pipe from the parent process, which ends when the parent exits. */
export const onParentExit = (env: NodeJS.ProcessEnv, stop: () => void): void => {
  if (env['STOP_WITH_PARENT'] !== '1') return;
  process.stdin.once('end', stop).once('error', stop).resume();
};

const forcedExitMs = 20_000;

/**
 * Prints one JSON line with `ready: true` and the result of `open`. Exits with code 1 after an error, or if closing takes longer
 * than 20 seconds.
 */
export const runProcess = async (open: (lifecycle: ProcessLifecycle) => Promise<Readonly<Record<string, unknown>>>) => {
  const lifecycle = createProcessLifecycle();
  const stop = () => {
    standardOutput().write('{"ready":false}\n');
    setTimeout(() => process.exit(1), forcedExitMs).unref();
    void lifecycle.stop().then(
      () => exitAfterFlush(0),
      (error: unknown) => exitWithError(error),
    );
  };
  onProcessSignal(['SIGTERM', 'SIGINT'], stop);
  onParentExit(process.env, stop);
  try {
    const details = await open(lifecycle);
    process.stdout.write(`${JSON.stringify({ ready: true, ...details })}\n`);
  } catch (error) {
    await lifecycle.stop().catch(() => undefined);
    await exitWithError(error);
  }
};

const exitAfterFlush = async (code: number): Promise<void> => {
  await standardOutput().written();
  process.exit(code);
};

const exitWithError = (error: unknown): Promise<void> => {
  process.stderr.write(`${describeFailure(error)}\n`);
  return exitAfterFlush(1);
};
