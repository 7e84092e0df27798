import { randomUUID } from 'node:crypto';
import {
  BulkIngestQueued,
  bulkJobStream,
  type DataOf,
  type EventDefinition,
  type EventMetadata,
  uploadStream,
} from '@popsvc/contracts/events';
import { foldUpload, type Upload } from '@popsvc/domain/bulk';
import {
  type ExpectedRevision,
  type LogEvent,
  EventStoreUnavailable,
  WrongExpectedVersion,
} from '@popsvc/platform/event-store';
import { withinReason } from '../intake/store-gate.ts';
import type { BulkParts } from './bulk-parts.ts';

type LogParts = Pick<BulkParts, 'store' | 'gate'>;

/** An upload, and where its stream stands: what is decided by it is appended right after that, or not at all. */
export interface KnownUpload {
  readonly upload: Upload;
  readonly revision: bigint;
  /** The newest event. */
  readonly last: LogEvent;
}

/** Undefined when the log tells of no such upload. */
export const findUpload = ({ store, gate }: LogParts, fileId: string): Promise<KnownUpload | undefined> => {
  const read = async () => {
    let upload: Upload | undefined;
    let last: LogEvent | undefined;
    for await (const event of store.readStream(uploadStream(fileId))) {
      upload = foldUpload(upload, event);
      last = event;
    }
    return upload && last && { upload, revision: last.revision, last };
  };
  gate.pass();
  return withinReason(gate, read());
};

/** How a job was queued; undefined when it was not. */
export const findQueued = ({ store, gate }: LogParts, jobId: string): Promise<BulkIngestQueued | undefined> => {
  const read = async () => {
    for await (const { data, metadata } of store.readStream(bulkJobStream(jobId), { max: 1 }))
      return BulkIngestQueued.read(data, metadata.schemaVersion);
    return undefined;
  };
  gate.pass();
  return withinReason(gate, read());
};

export interface Telling<Definition extends EventDefinition> {
  readonly definition: Definition;
  readonly data: DataOf<Definition>;
  readonly by: Omit<EventMetadata, 'schemaVersion'>;
  readonly expected: ExpectedRevision;
  /** Default: a new one. */
  readonly id?: string;
}

/** Appends one event; false when the stream is not where it was expected. */
export const tell = async <Definition extends EventDefinition>(
  { store, gate }: LogParts,
  stream: string,
  { definition, data, by, expected, id = randomUUID() }: Telling<Definition>,
): Promise<boolean> => {
  gate.pass();
  try {
    const metadata = { ...by, schemaVersion: definition.version };
    await store.append(stream, [{ id, type: definition.type, data, metadata }], { expected });
    return true;
  } catch (error) {
    if (error instanceof WrongExpectedVersion) return false;
    if (error instanceof EventStoreUnavailable) gate.close();
    throw error;
  }
};
