import { randomUUID } from 'node:crypto';
import { frameLength, noEventFlag, readFlags } from '../log/frames.ts';
import type { Page } from '../log/reads.ts';
import type { StreamStore } from '../streams/stream-store.ts';
import { CheckpointSchedule } from './checkpoints.ts';
import { missingStart, streamDeleted } from './errors.ts';
import { createFilter } from './event-filter.ts';
import { resolvePosition } from './read.ts';
import { encodeCaughtUp, encodeCheckpoint, encodeConfirmation, endPosition, type ReadRequest } from './read-codec.ts';
import { EventSender, type Reply } from './reply.ts';

/** If a notification arrives while the loop is busy, the next `wait` returns at once. */
class WakeSignal {
  #notified = false;
  #wake: (() => void) | undefined;

  readonly notify = (): void => {
    this.#notified = true;
    this.#wake?.();
  };

  async wait(): Promise<void> {
    if (!this.#notified) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
    this.#notified = false;
  }
}

/** The log is read from position `readFrom`, but only events after `sendAfter` are sent. */
interface SubscriptionStart {
  readonly readFrom: number;
  readonly sendAfter: number;
}

/** A position beyond the end of the log is not checked, because the log has no record there. */
const resolveStart = async (store: StreamStore, { all }: ReadRequest): Promise<SubscriptionStart> => {
  const { end } = store.log;
  if (typeof all === 'object' && all.commit >= all.prepare && all.commit > BigInt(end)) {
    return { readFrom: end, sendAfter: Number(all.commit) };
  }
  const position = await resolvePosition(store, all);
  return { readFrom: position, sendAfter: position === end ? end - 1 : position };
};

/**
 * Reads the next page only when the client can receive more, so a slow client needs little memory. A live subscription that falls behind
 * the pages in memory has to catch up again.
 */
export const subscribeToAll = async (store: StreamStore, request: ReadRequest, reply: Reply): Promise<void> => {
  const { filter, window, checkpointEvery } = createFilter(store, request.filter);
  const checkpoints = new CheckpointSchedule(window, checkpointEvery);
  const sender = new EventSender(store, reply, request);
  const signal = new WakeSignal();
  const unsubscribe = store.commitListeners.subscribe(undefined, signal.notify);
  reply.onCancelled = signal.notify;
  reply.add(encodeConfirmation(randomUUID()));
  let live = false;
  let lastPosition = 0;
  const sendPage = async (page: Page, sendAfter: number): Promise<void> => {
    for (let at = page.start; at < page.end; at += frameLength(page.bytes, at)) {
      const position = page.bytesPosition + at;
      if (position <= sendAfter || readFlags(page.bytes, at) & noEventFlag) continue;
      lastPosition = position;
      const frame = { bytes: page.bytes, at };
      const matches = filter.matches(frame);
      if (matches) {
        const sent = sender.send(frame, position);
        if (sent) await sent;
      }
      const checkpoint = live
        ? checkpoints.afterLiveEvent(position)
        : checkpoints.afterHistoricalEvent(position, matches);
      if (checkpoint !== undefined) reply.add(encodeCheckpoint(checkpoint));
      if (reply.isFull) await reply.flush();
      if (reply.isCancelled()) return;
    }
  };
  try {
    const { readFrom, sendAfter } = await resolveStart(store, request);
    let nextPosition = readFrom;
    lastPosition = typeof request.all === 'object' ? sendAfter : 0;
    while (!reply.isCancelled()) {
      const pending = store.log.readPageFrom(nextPosition);
      live &&= !(pending instanceof Promise) || nextPosition >= store.log.end;
      const page = await pending;
      if (page) {
        await sendPage(page, sendAfter);
        nextPosition = page.bytesPosition + page.end;
        await reply.flush();
        continue;
      }
      if (!live) {
        const checkpoint = checkpoints.afterCatchUp();
        if (checkpoint !== undefined) reply.add(encodeCheckpoint(checkpoint));
        reply.add(encodeCaughtUp(lastPosition > 0 ? { position: lastPosition } : undefined));
        live = true;
      }
      await reply.flush();
      await signal.wait();
    }
  } finally {
    unsubscribe();
  }
};

/** The stream need not exist. A tombstone of the stream ends the subscription with an error. */
export const subscribeToStream = async (store: StreamStore, request: ReadRequest, reply: Reply): Promise<void> => {
  const { stream } = request;
  if (stream?.from === undefined) throw missingStart();
  const signal = new WakeSignal();
  const unsubscribe = store.commitListeners.subscribe(stream.name, signal.notify);
  reply.onCancelled = signal.notify;
  const sender = new EventSender(store, reply, request);
  const { from } = stream;
  const fromEnd = from === 'end' || from === endPosition;
  let next = fromEnd ? (store.find(stream.name)?.last ?? -1) + 1 : from === 'start' ? 0 : Number(from) + 1;
  let live = false;
  try {
    reply.add(encodeConfirmation(randomUUID()));
    while (!reply.isCancelled()) {
      const entry = store.find(stream.name);
      if (entry && entry.tombstone > 0) {
        const [frame] = live ? await store.log.readFrames([entry.tombstone]) : [];
        if (frame) await sender.send(frame, entry.tombstone);
        await reply.flush();
        throw streamDeleted(stream.name);
      }
      if (entry && next <= entry.last) {
        live &&= await store.reader.isInMemory(entry, next);
        const { last } = entry;
        for await (const batch of store.reader.read(entry, { from: next, backward: false, showsHidden: live })) {
          for (const { frame, position } of batch) {
            const sent = sender.send(frame, position);
            if (sent) await sent;
            if (reply.isFull) await reply.flush();
          }
          await reply.flush();
          if (reply.isCancelled()) return;
        }
        next = last + 1;
        continue;
      }
      if (!live) {
        reply.add(encodeCaughtUp(next > 0 && entry ? { revision: Math.min(next - 1, entry.last) } : undefined));
        live = true;
      }
      await reply.flush();
      await signal.wait();
    }
  } finally {
    unsubscribe();
  }
};
