import { PublishedEvent } from '@popsvc/contracts/events';
import type { EventStore, LogEvent } from '../event-store/index.ts';

/** A token of a subject: no dots, spaces or wildcards. */
const token = (text: string) => text.replace(/[^\w-]/g, '_');

const every = 'popsvc.events';
export const subjectOf = ({ type, metadata }: LogEvent): string => `${every}.${metadata.network ?? 0}.${token(type)}`;
/** Events of a type, of all networks. */
export const subjectsOf = (type: string): string => `${every}.*.${token(type)}`;

/** Room for the subject and the headers of a message. */
const headroom = 1_024;

/** An event as it is published; without its data when it is larger than the server takes. */
export const encode = (event: LogEvent, maxPayload: number): Buffer => {
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
  if (body.length + headroom <= maxPayload) return body;
  return Buffer.from(JSON.stringify({ ...published, data: null, data_omitted: true }));
};

/** What was published; data that were left out are read from the log. */
export const decode = async (body: string, store: Pick<EventStore, 'readEventAt'>): Promise<PublishedEvent> => {
  const published = PublishedEvent.parse(JSON.parse(body));
  if (!published.data_omitted) return published;
  const event = await store.readEventAt(BigInt(published.position));
  if (event?.id !== published.id) throw new Error(`the log has no event ${published.id} at ${published.position}`);
  return { ...published, data: event.data };
};
