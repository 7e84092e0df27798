import { randomUUID } from 'node:crypto';
import { ApiError } from '@popsvc/contracts/errors';
import {
  type DataOf,
  type EventDefinition,
  type EventMetadata,
  UploadReceived,
  uploadStream,
} from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { foldUpload, type Upload, uploadObjectKey } from '@popsvc/domain/bulk';
import type { ApiKeyPrincipal } from '@popsvc/http-kit/auth';
import {
  type EventStore,
  EventStoreUnavailable,
  type ExpectedRevision,
  type LogEvent,
  WrongExpectedVersion,
} from '@popsvc/platform/event-store';
import type { RouteRequest } from '@popsvc/http-kit/server';
import { type ExternalObjectStore, type ReceivingObjectStore, type UploadUrls } from '@popsvc/platform/object-storage';
import type { Postgres } from '@popsvc/platform/postgres';
import type { Clock } from '@popsvc/platform/runtime';
import type { Log } from '@popsvc/platform/telemetry';
import { type EventStoreCircuit, readWithTimeout } from '../intake/event-store-circuit.ts';
import type { IntakeTimeouts } from '../intake/timeouts.ts';
import type { UploadMetrics } from './metrics.ts';

/**
 * With `urls`, this service receives the files at URLs that it signs. Without `urls`, an external object store receives them at presigned
 * URLs.
 */
export type UploadStorage =
  { readonly objects: ReceivingObjectStore; readonly urls: UploadUrls } | { readonly objects: ExternalObjectStore };

export interface BulkDependencies {
  readonly store: Pick<EventStore, 'readStream' | 'append'>;
  readonly circuit: Pick<EventStoreCircuit, 'requireAvailable' | 'reportUnavailable' | 'stop' | 'readTimeoutMs'>;
  readonly postgres: Postgres;
  readonly clock: Clock;
  readonly timeouts: Pick<IntakeTimeouts, 'earlierAttemptMs'>;
  readonly log: Log;
  readonly storage: UploadStorage;
  readonly metrics: UploadMetrics;
  readonly maxUploadBytes: number;
  /** Maximum age of a play when its job is requested; undefined means no limit. Rows with older plays stay in quarantine. */
  readonly maxAgeDays: number | undefined;
}

export type StreamDependencies = Pick<BulkDependencies, 'store' | 'circuit'>;

export interface LoggedUpload {
  readonly upload: Upload;
  readonly revision: bigint;
  readonly lastEvent: LogEvent;
}

export const findUpload = (
  { store, circuit }: StreamDependencies,
  fileId: string,
): Promise<LoggedUpload | undefined> => {
  const read = async () => {
    let upload: Upload | undefined;
    let lastEvent: LogEvent | undefined;
    for await (const event of store.readStream(uploadStream(fileId))) {
      upload = foldUpload(upload, event);
      lastEvent = event;
    }
    return upload && lastEvent && { upload, revision: lastEvent.revision, lastEvent };
  };
  circuit.requireAvailable();
  return readWithTimeout(circuit, read());
};

export interface BulkEvent<Definition extends EventDefinition> {
  readonly definition: Definition;
  readonly data: DataOf<Definition>;
  readonly metadata: Omit<EventMetadata, 'schemaVersion'>;
  readonly expected: ExpectedRevision;
  readonly id?: string;
}

/** Resolves with false if the stream is not at the expected revision. */
export const appendBulkEvent = async <Definition extends EventDefinition>(
  { store, circuit }: StreamDependencies,
  stream: string,
  { definition, data, metadata, expected, id = randomUUID() }: BulkEvent<Definition>,
): Promise<boolean> => {
  circuit.requireAvailable();
  try {
    const event = { id, type: definition.type, data, metadata: { ...metadata, schemaVersion: definition.version } };
    await store.append(stream, [event], { expected });
    return true;
  } catch (error) {
    if (error instanceof WrongExpectedVersion) return false;
    if (error instanceof EventStoreUnavailable) circuit.reportUnavailable();
    throw error;
  }
};

/** The request must have an API key. */
export const createSenderMetadata = (
  { principal, requestId }: Pick<RouteRequest, 'principal' | 'requestId'>,
  receivedAtMs: number,
) => {
  const { network, vendor, keyId } = principal as ApiKeyPrincipal;
  return { receivedAt: instantOf(receivedAtMs), network, vendor, keyId, requestId };
};

/** Converts failures to UNAVAILABLE, except ApiErrors and errors of the `expected` classes. */
export const withStorageErrors = async <Done>(
  operation: Promise<Done>,
  ...expected: readonly (abstract new (...parameters: never[]) => Error)[]
): Promise<Done> => {
  try {
    return await operation;
  } catch (cause) {
    if ([ApiError, ...expected].some((type) => cause instanceof type)) throw cause;
    throw new ApiError('UNAVAILABLE', 'The object store is unavailable; try again.', { cause, retryAfterSeconds: 5 });
  }
};

const isRecorded = (
  { received }: Upload,
  { sizeBytes, storedAtMs }: { sizeBytes: number; storedAtMs: number },
): boolean => received?.sizeBytes === sizeBytes && received.atMs === storedAtMs;

/** An external object store does not announce files, so the service looks for one that the stream does not record. */
export const recordStoredFile = async (dependencies: BulkDependencies, known: LoggedUpload): Promise<LoggedUpload> => {
  const { storage } = dependencies;
  const { upload, revision } = known;
  const { network, vendor, requested } = upload;
  const { fileId } = requested;
  if ('urls' in storage || upload.status === 'claimed' || upload.status === 'expired') return known;
  const file = await withStorageErrors(storage.objects.readMetadata(uploadObjectKey(network, fileId)));
  if (!file || isRecorded(upload, file)) return known;
  const { sizeBytes, storedAtMs } = file;
  const isAppended = await appendBulkEvent(dependencies, uploadStream(fileId), {
    definition: UploadReceived,
    data: { fileId, sizeBytes, sha256: null },
    metadata: { receivedAt: instantOf(storedAtMs), network, vendor },
    expected: revision,
  });
  if (isAppended) dependencies.metrics.countReceived(sizeBytes);
  return (await findUpload(dependencies, fileId)) ?? known;
};
