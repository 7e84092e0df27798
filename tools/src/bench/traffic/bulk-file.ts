import { randomUUID } from 'node:crypto';
import type { BulkFormat } from '@popsvc/contracts/bulk';
import { BulkIngestQueued, bulkJobStream, MappingRegistered, mappingStream } from '@popsvc/contracts/events';
import { uploadObjectKey } from '@popsvc/domain/bulk';
import type { EventStore } from '@popsvc/platform/event-store';
import type { ReceivingObjectStore } from '@popsvc/platform/object-storage';
import { network, vendor } from './network.ts';

/** Number of times that one measurement reads the file, because a single pass takes less time than a tick of the CPU clock. */
export const readTimes = 10;

export const schemaVersion = 'bench-1';

/** A play in a vendor's own schema, of about 300 bytes as JSON. */
export const bulkRow = (number: number): Readonly<Record<string, string>> => ({
  reference: `reference-${number}`,
  frame: `screen-${number % 50}`,
  order: `C-${number % 40}`,
  creative: `CR-${number % 90}`,
  creativeName: `Spot ${number % 90}, autumn`,
  started: new Date(Date.UTC(2026, 7, 20) + number * 1_000).toISOString(),
  length: '10000',
  player: `player-${number % 50}`,
  buyer: 'B-1842',
  brand: 'BR-77',
  share: '0.125',
});

const mapping = {
  vendor,
  schema_version: schemaVersion,
  fields: {
    eventId: { path: 'reference' },
    screenId: { path: 'frame' },
    campaignId: { path: 'order' },
    creativeId: { path: 'creative' },
    playedAt: { path: 'started', time: 'iso' },
    duration: { path: 'length', unit: 'ms' },
  },
};

/** Formats a row as CSV. One field of each row contains a comma and is quoted. */
const asCsv = (row: Readonly<Record<string, string>>) =>
  Object.values(row)
    .map((text) => (text.includes(',') ? `"${text}"` : text))
    .join();

export const bulkText = (format: BulkFormat, rows: number): string => {
  const all = Array.from({ length: rows }, (_, at) => bulkRow(at + 1));
  if (format === 'csv') return [Object.keys(all[0]!).join(), ...all.map(asCsv), ''].join('\r\n');
  const lines = all.map((row) => JSON.stringify(row));
  return format === 'json' ? `[${lines.join(',\n')}]` : `${lines.join('\n')}\n`;
};

const metadata = () => ({
  schemaVersion: 1,
  receivedAt: new Date().toISOString(),
  network,
  vendor,
  keyId: randomUUID(),
});

export const registerMapping = async (store: EventStore): Promise<void> => {
  const data = { network, version: 1, mapping };
  const event = { id: randomUUID(), type: MappingRegistered.type, data, metadata: metadata() };
  await store.append(mappingStream(vendor), [event]);
};

export interface UploadedFile {
  readonly fileId: string;
  readonly format: BulkFormat;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** Generates a bulk file and stores it as an uploaded file. */
export const uploadFile = async (
  objects: ReceivingObjectStore,
  format: BulkFormat,
  rows: number,
): Promise<UploadedFile> => {
  const fileId = randomUUID();
  const content = async function* () {
    yield await Promise.resolve(Buffer.from(bulkText(format, rows)));
  };
  const received = await objects.receive(uploadObjectKey(network, fileId), content(), 2 ** 31);
  return { fileId, format, ...received };
};

/**
 * Queues a bulk job for a file and resolves with the job id. `mapped` determines whether the job uses a schema version that has a
 * mapping.
 */
export const queueFile = async (store: EventStore, file: UploadedFile, mapped: boolean): Promise<string> => {
  const jobId = randomUUID();
  const queued: BulkIngestQueued = {
    jobId,
    fileName: `plays.${file.format}`,
    ...file,
    schemaVersion: mapped ? schemaVersion : 'unmapped',
  };
  const event = { id: randomUUID(), type: BulkIngestQueued.type, data: queued, metadata: metadata() };
  await store.append(bulkJobStream(jobId), [event], { expected: 'no_stream' });
  return jobId;
};
