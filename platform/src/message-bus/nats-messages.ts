import { PublishedEvent } from '@popsvc/contracts/events';
import type { EventStore, LogEvent } from '../event-store/index.ts';

/** Converts text to a subject token, which must not contain dots, spaces or wildcards. */
const toToken = (text: string) => text.replace(/[^\w-]/g, '_');

const root = 'popsvc.events';
export const subjectOf = ({ type, metadata }: LogEvent): string => `${root}.${metadata.network ?? 0}.${toToken(type)}`;
/** Returns the subject filter for the events of a type in all networks. */
export const subjectFilterOf = (type: string): string => `${root}.*.${toToken(type)}`;

/** Number of bytes reserved for the subject and headers of a message. */
const overheadBytes = 1_024;

/** Encodes an event. Omits the data if the message would exceed `maxPayload`, the size limit of the server. */
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

/** Decodes a published event. Reads the data from the log if it was omitted. */
export const decodeEvent = async (body: string, store: Pick<EventStore, 'readEventAt'>): Promise<PublishedEvent> => {
  const published = PublishedEvent.parse(JSON.parse(body));
  if (!published.data_omitted) return published;
  const event = await store.readEventAt(BigInt(published.position));
  if (event?.id !== published.id)
    throw new Error(`the log has no event ${published.id} at position ${published.position}`);
  return { ...published, data: event.data };
};
