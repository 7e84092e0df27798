import { setTimeout as sleep } from 'node:timers/promises';
import { defaultRestartPolicy, restartDelayMs } from './back-off.ts';
import { startChild, type ChildExit, type ChildRun } from './life.ts';
import type { ProcessOptions, ReadyLine } from './part-options.ts';

/** How a part ended: because it was asked to, or because it could not be kept alive. */
export type SupervisionEnd = { readonly requested: true } | { readonly requested: false; readonly reason: string };

/** A child process that is kept alive. */
export interface SupervisedProcess {
  readonly name: string;
  /** Of the process that runs now; undefined while it is down. */
  pid(): number | undefined;
  /** What its newest life said when it became ready (json-line parts). */
  readyLine(): ReadyLine | undefined;
  readonly ended: Promise<SupervisionEnd>;
  stop(): Promise<void>;
}

/** Starts a part and waits until it is ready. A part that dies before it was ever ready is not tried again: throws why. */
export const startSupervisedProcess = async (options: ProcessOptions): Promise<SupervisedProcess> => {
  const first = startChild(options);
  const line = await readyOrDead(options, first);
  return keepAlive(options, first, line);
};

/** Stops parts one after the other, the newest first. */
export const stopInReverseOrder = async (parts: readonly { stop(): Promise<void> }[]): Promise<void> => {
  for (const part of parts.toReversed()) await part.stop();
};

const readyOrDead = async (options: ProcessOptions, life: ChildRun): Promise<ReadyLine | undefined> => {
  const limit = options.readyTimeoutMs ?? 60_000;
  const timer = new AbortController();
  const outcome = await Promise.race([
    life.ready.then((line) => ({ line })),
    life.exited.then((death) => ({ failure: asWords(death) })),
    sleep(limit, { failure: `it was not ready after ${limit / 1000} s` }, { signal: timer.signal }),
  ]);
  timer.abort();
  if ('line' in outcome) return outcome.line;
  await life.stop();
  throw new Error(`${options.name} could not start: ${outcome.failure}`);
};

const asWords = ({ code, signal, lastLines: lastWords }: ChildExit): string => {
  if (signal) return `ended by ${signal}`;
  return lastWords || (code === null ? 'it could not be run' : `ended with code ${code}`);
};

const keepAlive = (options: ProcessOptions, first: ChildRun, firstLine: ReadyLine | undefined): SupervisedProcess => {
  const backOff = options.restart === false ? undefined : (options.restart ?? defaultRestartPolicy);
  const stopping = new AbortController();
  const asked = (): boolean => stopping.signal.aborted;
  let life: ChildRun | undefined = first;
  let line = firstLine;
  const tell = (text: string): void => options.onLine?.({ name: options.name, from: 'supervisor', text });

  const watch = async (): Promise<SupervisionEnd> => {
    let deaths = 0;
    let readySince = Date.now();
    for (;;) {
      const reason = await downfall();
      if (asked()) return { requested: true };
      deaths = backOff && Date.now() - readySince >= backOff.healthyAfterMs ? 1 : deaths + 1;
      const wait = backOff && restartDelayMs(backOff, deaths);
      if (wait === undefined) {
        tell(`given up: ${reason}`);
        return { requested: false, reason: `${options.name} died ${deaths} times in a row: ${reason}` };
      }
      tell(`died (${reason}), starting again in ${wait} ms`);
      await sleep(wait, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (asked()) return { requested: true };
      life = startChild(options);
      // A life that never becomes ready is a death like another, counted at the loop's head.
      readySince = await comeBack(life);
    }
  };
  const downfall = async (): Promise<string> => {
    const died = life;
    const death = died && asWords(await died.exited);
    life = undefined;
    return death ?? 'it is down';
  };
  const comeBack = async (next: ChildRun): Promise<number> => {
    try {
      line = await readyOrDead(options, next);
      tell('ready again');
      return Date.now();
    } catch (error) {
      if (!asked()) tell(error instanceof Error ? error.message : String(error));
      return Number.POSITIVE_INFINITY;
    }
  };

  const ended = watch();
  return {
    name: options.name,
    pid: () => life?.pid,
    readyLine: () => line,
    ended,
    stop: async () => {
      stopping.abort();
      await life?.stop();
      await ended;
    },
  };
};
