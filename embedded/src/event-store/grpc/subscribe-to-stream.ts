import { randomUUID } from 'node:crypto';
import { type StreamStore } from '../streams/index.ts';
import { EventSender } from './event-sender.ts';
import { invalid, streamDeleted } from './failure.ts';
import { Pulse } from './pulse.ts';
import { caughtUp, confirmation } from './read-answer.ts';
import { type ReadRequest } from './read-request.ts';
import { type Reply } from './reply.ts';

const end = 2n ** 64n - 1n;

/** Follows one stream, which need not exist yet, until the reader leaves or the stream ends for good. */
export const subscribeToStream = async (store: StreamStore, request: ReadRequest, reply: Reply): Promise<void> => {
  const { stream } = request;
  if (stream?.from === undefined) throw invalid('The subscription names no revision');
  const pulse = new Pulse();
  const unwatch = store.wakeups.watch(stream.name, pulse.beat);
  reply.onGone = pulse.beat;
  const sender = new EventSender(store, reply, request);
  const { from } = stream;
  const fromEnd = from === 'end' || from === end;
  let next = fromEnd ? (store.find(stream.name)?.last ?? -1) + 1 : from === 'start' ? 0 : Number(from) + 1;
  let live = false;
  try {
    reply.add(confirmation(randomUUID()));
    while (!reply.isGone()) {
      const entry = store.find(stream.name);
      if (entry && entry.tombstone > 0) {
        const [frame] = live ? await store.log.framesAt([entry.tombstone]) : [];
        if (frame) await sender.send(frame, entry.tombstone);
        await reply.flush();
        throw streamDeleted(stream.name);
      }
      if (entry && next <= entry.last) {
        live &&= await store.reader.isRecent(entry, next);
        const { last } = entry;
        for await (const batch of store.reader.read(entry, { from: next, backward: false, showsHidden: live })) {
          for (const { frame, position } of batch) {
            const sent = sender.send(frame, position);
            if (sent) await sent;
            if (reply.full) await reply.flush();
          }
          await reply.flush();
          if (reply.isGone()) return;
        }
        next = last + 1;
        continue;
      }
      if (!live) {
        reply.add(caughtUp(next > 0 && entry ? { revision: Math.min(next - 1, entry.last) } : undefined));
        live = true;
      }
      await reply.flush();
      await pulse.next();
    }
  } finally {
    unwatch();
  }
};
