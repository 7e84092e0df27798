import { PublishedEvent } from '@popsvc/contracts/events';
import type { EventStore, LogEvent } from '../event-store/index.ts';

/** Converts text to a token of a subject, which contains no dots, spaces or wildcards. */
const toToken = (text: string) => text.replace(/[^\w-]/g, '_');

const root = 'popsvc.events';
export const subjectOf = ({ type, metadata }: LogEvent): string => `${root}.${metadata.network ?? 0}.${toToken(type)}`;
/** The subject filter for events of a type, of all networks. */
export const subjectFilterOf = (type: string): string => `${root}.*.${toToken(type)}`;

/** Reserved for the subject and the headers of a message. */
const overheadBytes = 1_024;

/** Encodes an event. Omits its data if the message would exceed `maxPayload`, the server's limit. */
export const encodeEvent = (event: LogEvent, maxPayload: number): Buffer => {
  const { id, type, stream, revision, position, recordedAtMs, data, metadata } = event;
  const published = {
    id,
    type,
    stream,
    revision: Number(revision),
    position: position.toString(),
    recorded_at: new Date(recordedAtMs).toISOString(),
    data,
    metadata,
  } satisfies PublishedEvent;
  const body = Buffer.from(JSON.stringify(published));
  if (body.length + overheadBytes <= maxPayload) return body;
  return Buffer.from(JSON.stringify({ ...published, data: null, data_omitted: true }));
};

/** Decodes a published event. Reads omitted data from the log. */
export const decodeEvent = async (body: string, store: Pick<EventStore, 'readEventAt'>): Promise<PublishedEvent> => {
  const published = PublishedEvent.parse(JSON.parse(body));
  if (!published.data_omitted) return published;
  const event = await store.readEventAt(BigInt(published.position));
  if (event?.id !== published.id) throw new Error(`the log has no event ${published.id} at ${published.position}`);
  return { ...published, data: event.data };
};
