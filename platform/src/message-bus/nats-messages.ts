import type { PublishedEvent } from '@popsvc/contracts/events';
import type { LogEvent } from '../event-store/index.ts';

/** Converts text to a subject token, which must not contain dots, spaces or wildcards. */
const toToken = (text: string) => text.replace(/[^\w-]/g, '_');

const root = 'popsvc.events';
export const subjectOf = ({ type, metadata }: LogEvent): string => `${root}.${metadata.network ?? 0}.${toToken(type)}`;

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
