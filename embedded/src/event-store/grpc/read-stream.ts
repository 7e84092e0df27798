import { status } from '@grpc/grpc-js';
import { type StreamStore } from '../streams/index.ts';
import { EventSender } from './event-sender.ts';
import { Failure, invalid, streamDeleted } from './failure.ts';
import { firstStreamPosition, lastStreamPosition, streamNotFound } from './read-answer.ts';
import { type ReadRequest } from './read-request.ts';
import { type Reply } from './reply.ts';

const end = 2n ** 64n - 1n;

/** The revision to begin with; beyond the last one it is only near, which is enough. */
const firstRevision = (from: bigint | 'start' | 'end', backward: boolean, last: number): number => {
  if (from === 'start') return 0;
  if (from !== 'end' && from !== end) return Number(from);
  if (backward) return last;
  throw new Failure(status.UNKNOWN, 'Unexpected ReadStreamResult: Error');
};

/** Answers a read of one stream, from what is durable when the read begins. */
export const readStream = async (store: StreamStore, request: ReadRequest, reply: Reply): Promise<void> => {
  const { stream, count, backward } = request;
  if (stream?.from === undefined || typeof count !== 'bigint') throw invalid('The read names no revision or no count');
  const entry = store.find(stream.name);
  if (entry && entry.tombstone > 0) throw streamDeleted(stream.name);
  if (!entry || entry.last < 0 || entry.limits.softDeleted) {
    reply.add(streamNotFound(stream.name));
    return;
  }
  if (count === 0n) throw new Failure(status.UNKNOWN, 'Unexpected ReadStreamResult: Error');
  const { last } = entry;
  const from = firstRevision(stream.from, backward, last);
  const sender = new EventSender(store, reply, request);
  let left = Number(count);
  let first = true;
  for await (const batch of store.reader.read(entry, { from, backward, limit: left })) {
    if (first && batch.length === 0 && request.compatibility > 0) reply.add(firstStreamPosition(from));
    first = false;
    for (const { frame, position } of batch.slice(0, left)) {
      const sent = sender.send(frame, position);
      if (sent) await sent;
      if (reply.full) await reply.flush();
    }
    left -= batch.length;
    await reply.flush();
    if (left <= 0 || reply.isGone()) break;
  }
  if (request.compatibility > 0) reply.add(lastStreamPosition(last));
};
