import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AppendOutcome, type ProposedEvent, StreamStore } from '@popsvc/embedded/event-store/streams';
import { temporaryFolder } from '@popsvc/tools/rig';

/** Options of a log with several segments. */
export const segmented = { segmentBytes: 4096 };

type StoreOptions = Partial<Parameters<typeof StreamStore.open>[0]>;

/** A log without a network interface, and what it reported. */
export interface TestLog {
  readonly store: StreamStore;
  readonly dir: string;
  /** The messages that the log reported. */
  readonly notes: string[];
}

export const openLog = async (dir: string, options: StoreOptions = {}): Promise<TestLog> => {
  const notes: string[] = [];
  const note = (message: string) => void notes.push(message);
  const fail = (error: unknown) => {
    throw error as Error;
  };
  return { store: await StreamStore.open({ dir, fail, note, ...options }), dir, notes };
};

const proposeEvent = (bytes: number): ProposedEvent => ({
  id: randomUUID(),
  type: Buffer.from('Checked'),
  json: true,
  metadata: Buffer.alloc(0),
  data: Buffer.from(JSON.stringify({ filling: 'x'.repeat(bytes) })),
});

/** Appends events of about `bytes` bytes in one append. */
export const appendTo = (
  { store }: Pick<TestLog, 'store'>,
  stream: string,
  count: number,
  bytes = 200,
): Promise<AppendOutcome> =>
  store.appender.append(
    stream,
    'any',
    Array.from({ length: count }, () => proposeEvent(bytes)),
  );

/** The revisions of a stream as a read returns them. */
export const revisionsIn = async ({ store }: Pick<TestLog, 'store'>, stream: string): Promise<number[]> => {
  const revisions: number[] = [];
  const entry = store.find(stream);
  if (!entry) return revisions;
  for await (const batch of store.reader.read(entry, { from: 0, backward: false }))
    for (const { frame } of batch) revisions.push(frame.bytes.readDoubleLE(frame.at + 24));
  return revisions;
};

export const numbersUpTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

export const flipBit = (path: string, at: number): void => {
  const bytes = readFileSync(path);
  bytes[at]! ^= 4;
  writeFileSync(path, bytes);
};

export const segmentFile = (dir: string, base = 0): string => join(dir, `${String(base).padStart(16, '0')}.log`);

/** The positions at which the segments of a log begin, in ascending order. */
export const segmentBases = (dir: string): number[] =>
  readdirSync(dir)
    .filter((name) => name.endsWith('.log'))
    .map((name) => Number(name.slice(0, 16)))
    .sort((a, b) => a - b);

/** Exchanges the files of the second and the third segment. */
export const exchangeSegments = (dir: string): void => {
  const [, one, other] = segmentBases(dir);
  renameSync(segmentFile(dir, one), join(dir, 'x'));
  renameSync(segmentFile(dir, other), segmentFile(dir, one));
  renameSync(join(dir, 'x'), segmentFile(dir, other));
};

/** A closed log with 20 appends of 5 events to stream `s`, and the position of each append. Without options, it has one segment. */
export const closedLog = async (options: StoreOptions = {}): Promise<{ dir: string; positions: number[] }> => {
  const log = await openLog(await temporaryFolder('log'), options);
  const positions: number[] = [];
  for (let n = 0; n < 20; n += 1) {
    const outcome = await appendTo(log, 's', 5);
    if (outcome.is === 'appended') positions.push(outcome.position!);
  }
  await log.store.close();
  return { dir: log.dir, positions };
};

/** A closed log with several segments, all of them but the newest in the manifest, as the second start leaves it. */
export const sealedLog = async (): ReturnType<typeof closedLog> => {
  const closed = await closedLog(segmented);
  await (await openLog(closed.dir, segmented)).store.close();
  return closed;
};
