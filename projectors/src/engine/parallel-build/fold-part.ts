import { advancePart, addTallies, type Tally } from '@popsvc/platform/postgres';
import { LeaseLost } from '../final.ts';
import type { PendingInsert } from '../projection.ts';
import { applyOrDecide, readLogRange } from '../logged.ts';
import type { PartTask } from './task.ts';
import { writeFacts } from '../write-facts.ts';

/** Nobody waits for these rows, so fewer and larger inserts are better. */
const partLimits = { rows: 40_000, bytes: 16_000_000 };

interface Written {
  readonly inserts: readonly PendingInsert[];
  readonly reached: bigint;
  readonly to: bigint;
  readonly events: number;
  /** Of all events of the part up to there. */
  readonly tally: Tally | null;
}

/** Facts, and then that they are written: who is killed between the two writes them again. */
const write = async (task: PartTask, { inserts, reached, to, events, tally }: Written): Promise<void> => {
  await writeFacts(task, inserts);
  await task.assertSameServer();
  if (!(await advancePart(task.postgres, task.key, { ...task.part, reached }, { to, events, tally })))
    throw new LeaseLost('somebody else works on this part');
};

/**
 * Folds the events of a part and writes their facts, and nothing that follows from them: other parts hold other facts. While
 * one batch is written the next one fills.
 */
export const foldPart = async (task: PartTask, signal: AbortSignal): Promise<void> => {
  const { store, projection, part, reader, silenceTimeout, limits = partLimits } = task;
  const { facts } = projection.parallelBuild!;
  const { fold, intake } = await reader.restoreTo(part.reached, signal);
  let [reached, last, events] = [part.reached, part.reached, 0];
  let { tally } = part;
  let writing: Promise<void> = Promise.resolve();
  const isFull = () => fold.pending.rows >= limits.rows || fold.pending.bytes >= limits.bytes || events >= limits.rows;

  const flush = async (to: bigint) => {
    const { inserts } = fold.seal({ after: reached, upTo: to });
    const since = intake.takeTally();
    tally &&= addTallies(tally, since);
    const batch = { inserts: inserts.filter(({ table }) => facts.includes(table)), reached, to, events, tally };
    [reached, events] = [to, 0];
    await writing;
    writing = write(task, batch);
    // Who waits for it hears of its failure; until then it is nobody's.
    writing.catch(() => undefined);
  };

  const stretch = { after: part.reached, upTo: part.ends, prefixes: projection.reads };
  for await (const event of readLogRange(store, stretch, signal, silenceTimeout)) {
    if (isFull()) await flush(last);
    const deciding = applyOrDecide(intake, event);
    if (deciding) await deciding;
    last = event.position;
    events += 1;
  }
  signal.throwIfAborted();
  await flush(part.ends);
  await writing;
  reader.setPosition(part.ends);
};
