import { randomUUID } from 'node:crypto';
import { type Page, flagsOf, frameLength, noEvent } from '../log/index.ts';
import { type StreamStore } from '../streams/index.ts';
import { CheckpointPace } from './checkpoint-pace.ts';
import { readFilterOptions } from './event-filter.ts';
import { EventSender } from './event-sender.ts';
import { Pulse } from './pulse.ts';
import { placeInLog } from './read-all.ts';
import { caughtUp, checkpoint, confirmation } from './read-answer.ts';
import { type ReadRequest } from './read-request.ts';
import { type Reply } from './reply.ts';

/** Where to go on, and the position that the reader has seen. */
interface Start {
  readonly place: number;
  readonly after: number;
}

/** A position behind the end is taken as it is: there is nothing to check it against. */
const startBehind = async (store: StreamStore, { all }: ReadRequest): Promise<Start> => {
  const { end } = store.log;
  if (typeof all === 'object' && all.commit >= all.prepare && all.commit > BigInt(end)) {
    return { place: end, after: Number(all.commit) };
  }
  const place = await placeInLog(store, all);
  return { place, after: place === end ? end - 1 : place };
};

/**
 * Follows $all until the reader leaves. The loop pulls pages from the log at the reader's pace, so a slow one costs a
 * page and what its connection holds; whether a page comes from memory or from the disk is what live and behind mean.
 */
export const subscribeToAll = async (store: StreamStore, request: ReadRequest, reply: Reply): Promise<void> => {
  const { filter, window, checkpointEvery } = readFilterOptions(store, request.filter);
  const pace = new CheckpointPace(window, checkpointEvery);
  const sender = new EventSender(store, reply, request);
  const pulse = new Pulse();
  const unwatch = store.wakeups.watch(undefined, pulse.beat);
  reply.onGone = pulse.beat;
  reply.add(confirmation(randomUUID()));
  let live = false;
  let seen = 0;
  const sendPage = async (page: Page, after: number): Promise<void> => {
    for (let at = page.from; at < page.to; at += frameLength(page.bytes, at)) {
      const position = page.position + at;
      if (position <= after || flagsOf(page.bytes, at) & noEvent) continue;
      seen = position;
      const frame = { bytes: page.bytes, at };
      const matches = filter.matches(frame);
      if (matches) {
        const sent = sender.send(frame, position);
        if (sent) await sent;
      }
      const told = live ? pace.live(position) : pace.inHistory(position, matches);
      if (told !== undefined) reply.add(checkpoint(told));
      if (reply.full) await reply.flush();
      if (reply.isGone()) return;
    }
  };
  try {
    const start = await startBehind(store, request);
    const { after } = start;
    let { place } = start;
    seen = typeof request.all === 'object' ? after : 0;
    while (!reply.isGone()) {
      const found = store.log.pageFrom(place);
      live &&= !(found instanceof Promise) || place >= store.log.end;
      const page = await found;
      if (page) {
        await sendPage(page, after);
        place = page.position + page.to;
        await reply.flush();
        continue;
      }
      if (!live) {
        const told = pace.atCaughtUp();
        if (told !== undefined) reply.add(checkpoint(told));
        reply.add(caughtUp(seen > 0 ? { position: seen } : undefined));
        live = true;
      }
      await reply.flush();
      await pulse.next();
    }
  } finally {
    unwatch();
  }
};
