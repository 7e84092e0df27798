import { type Page, flagsOf, frameLength, noEvent } from '../log/index.ts';
import { type StreamStore } from '../streams/index.ts';
import { readFilterOptions } from './event-filter.ts';
import { EventSender } from './event-sender.ts';
import { invalid } from './failure.ts';
import { type AllPosition, type ReadRequest } from './read-request.ts';
import { type Reply } from './reply.ts';

const end = 2n ** 64n - 1n;

/** A position of the caller as a place in the log; anything between two records is refused. */
export const placeInLog = async (
  store: StreamStore,
  from: AllPosition | 'start' | 'end' | undefined,
): Promise<number> => {
  if (from === undefined) throw invalid('The position is missing');
  if (from === 'start') return 0;
  if (from === 'end' || from.commit === end) return store.log.end;
  if (from.commit < from.prepare)
    throw invalid('The commit position must be greater than or equal to the prepare position');
  const position = Number(from.commit);
  const known = position === 0 || position === store.log.end || (await store.log.isBoundary(position));
  if (!known) throw invalid('Trying to read from an invalid position.');
  return position;
};

/** Offsets of the frames of a page that hold events, in the order of the read. */
const offsetsOf = ({ bytes, from, to }: Page, backward: boolean): number[] => {
  const offsets: number[] = [];
  for (let at = from; at < to; at += frameLength(bytes, at)) if (!(flagsOf(bytes, at) & noEvent)) offsets.push(at);
  return backward ? offsets.reverse() : offsets;
};

/** Answers a read of $all: forward from a position on, backward from before it, up to the end when the read began. */
export const readAll = async (store: StreamStore, request: ReadRequest, reply: Reply): Promise<void> => {
  const { count, backward } = request;
  if (typeof count !== 'bigint') throw invalid('The read has no count');
  const { filter } = readFilterOptions(store, request.filter);
  const last = store.log.end;
  const sender = new EventSender(store, reply, request);
  let place = await placeInLog(store, request.all);
  for (let left = count; left > 0n && !reply.isGone();) {
    const page = await (backward ? store.log.pageBefore(place) : store.log.pageFrom(place));
    if (!page || page.position >= last) break;
    for (const at of offsetsOf(page, backward)) {
      const frame = { bytes: page.bytes, at };
      if (left === 0n || page.position + at >= last) break;
      if (!filter.matches(frame)) continue;
      left -= 1n;
      const sent = sender.send(frame, page.position + at);
      if (sent) await sent;
      if (reply.full) await reply.flush();
    }
    await reply.flush();
    place = page.position + (backward ? page.from : page.to);
  }
};
