import { status } from '@grpc/grpc-js';
import { frameLength, noEventFlag, readFlags } from '../log/frames.ts';
import type { Page } from '../log/reads.ts';
import type { StreamStore } from '../streams/stream-store.ts';
import { GrpcError, invalidArgument, missingStart, streamDeleted } from './errors.ts';
import { createFilter } from './event-filter.ts';
import {
  encodeFirstStreamPosition,
  encodeLastStreamPosition,
  encodeStreamNotFound,
  endPosition,
  type ReadRequest,
} from './read-codec.ts';
import { EventSender, type Reply } from './reply.ts';

/** Throws if `from` is missing, or if its position is neither 0, the end of the log, nor the beginning of a record. */
export const resolvePosition = async (store: StreamStore, from: ReadRequest['all']): Promise<number> => {
  if (from === undefined || from === 'missing') throw missingStart();
  if (from === 'start') return 0;
  if (from === 'end' || from.commit === endPosition) return store.log.end;
  if (from.commit < from.prepare)
    throw invalidArgument('The commit position must be greater than or equal to the prepare position');
  const position = Number(from.commit);
  const isKnown = position === 0 || position === store.log.end || (await store.log.isFrameBoundary(position));
  if (!isKnown) throw invalidArgument('Trying to read from an invalid position.');
  return position;
};

const eventOffsets = ({ bytes, start, end }: Page, backward: boolean): number[] => {
  const offsets: number[] = [];
  for (let at = start; at < end; at += frameLength(bytes, at))
    if (!(readFlags(bytes, at) & noEventFlag)) offsets.push(at);
  return backward ? offsets.reverse() : offsets;
};

export const readAll = async (store: StreamStore, request: ReadRequest, reply: Reply): Promise<void> => {
  const { count, backward } = request;
  if (typeof count !== 'bigint') throw invalidArgument('The read has no count');
  const { filter } = createFilter(store, request.filter);
  const last = store.log.end;
  const sender = new EventSender(store, reply, request);
  let position = await resolvePosition(store, request.all);
  for (let remaining = count; remaining > 0n && !reply.isCancelled();) {
    const page = await (backward ? store.log.readPageBefore(position) : store.log.readPageFrom(position));
    if (!page || page.bytesPosition >= last) break;
    for (const at of eventOffsets(page, backward)) {
      const frame = { bytes: page.bytes, at };
      if (remaining === 0n || page.bytesPosition + at >= last) break;
      if (!filter.matches(frame)) continue;
      remaining -= 1n;
      const sent = sender.send(frame, page.bytesPosition + at);
      if (sent) await sent;
      if (reply.isFull) await reply.flush();
    }
    await reply.flush();
    position = page.bytesPosition + (backward ? page.start : page.end);
  }
};

/** Values above 2^53 lose precision, but they are all beyond the last revision. */
const firstRevision = (from: bigint | 'start' | 'end', backward: boolean, last: number): number => {
  if (from === 'start') return 0;
  if (from !== 'end' && from !== endPosition) return Number(from);
  if (backward) return last;
  throw new GrpcError(status.UNKNOWN, 'Unexpected ReadStreamResult: Error');
};

export const readStream = async (store: StreamStore, request: ReadRequest, reply: Reply): Promise<void> => {
  const { stream, count, backward } = request;
  if (!stream || typeof count !== 'bigint') throw invalidArgument('The read has no stream or no count');
  if (stream.from === undefined) throw missingStart();
  const entry = store.find(stream.name);
  if (entry && entry.tombstone > 0) throw streamDeleted(stream.name);
  if (!entry || entry.last < 0 || entry.limits.softDeleted) {
    reply.add(encodeStreamNotFound(stream.name));
    return;
  }
  if (count === 0n) throw new GrpcError(status.UNKNOWN, 'Unexpected ReadStreamResult: Error');
  const { last } = entry;
  const from = firstRevision(stream.from, backward, last);
  const sender = new EventSender(store, reply, request);
  let remaining = Number(count);
  let isFirst = true;
  for await (const batch of store.reader.read(entry, { from, backward, limit: remaining })) {
    if (isFirst && batch.length === 0 && request.compatibility > 0) reply.add(encodeFirstStreamPosition(from));
    isFirst = false;
    for (const { frame, position } of batch.slice(0, remaining)) {
      const sent = sender.send(frame, position);
      if (sent) await sent;
      if (reply.isFull) await reply.flush();
    }
    remaining -= batch.length;
    await reply.flush();
    if (remaining <= 0 || reply.isCancelled()) break;
  }
  if (request.compatibility > 0) reply.add(encodeLastStreamPosition(last));
};
