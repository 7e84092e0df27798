import { createProcessLifecycle, type ProcessLifecycle } from './lifecycle.ts';
import { onParentExit, onProcessSignal } from './on-signal.ts';
import { standardOutput } from '../telemetry/standard-output.ts';

const lastResortMs = 20_000;

/**
 * The life of a service's process: opens its parts, prints one JSON line with `ready: true` and what `open` tells (its port),
 * stops in reverse order at SIGTERM, SIGINT or the parent's end, and says so first by a line of `ready: false`. What cannot start
 * says why on standard error and exits 1.
 */
export const runProcess = async (open: (life: ProcessLifecycle) => Promise<Readonly<Record<string, unknown>>>) => {
  const life = createProcessLifecycle();
  const stop = () => {
    standardOutput().write('{"ready":false}\n');
    setTimeout(() => process.exit(1), lastResortMs).unref();
    void life.stop().then(
      () => exit(0),
      (error: unknown) => fail(error),
    );
  };
  onProcessSignal(['SIGTERM', 'SIGINT'], stop);
  onParentExit(process.env, stop);
  try {
    const told = await open(life);
    process.stdout.write(`${JSON.stringify({ ready: true, ...told })}\n`);
  } catch (error) {
    await life.stop().catch(() => undefined);
    await fail(error);
  }
};

/** What was logged last says most. */
const exit = async (code: number): Promise<void> => {
  await standardOutput().written();
  process.exit(code);
};

const fail = (error: unknown): Promise<void> => {
  const expected = error instanceof Error && error.name === 'ConfigError';
  process.stderr.write(
    `${expected ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return exit(1);
};
