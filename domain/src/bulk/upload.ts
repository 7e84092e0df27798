import type { UploadRequested } from '@popsvc/contracts/events';

/** A file as its stream tells it. */
export interface Upload {
  readonly requested: UploadRequested;
  readonly network: number;
  readonly vendor: string;
  /** `claimed`: it goes to a bulk job. */
  readonly status: 'requested' | 'received' | 'claimed' | 'expired';
  /** Until when its address takes the file. */
  readonly expiresAtMs: number;
  /** The newest file that was received whole. */
  readonly received: ReceivedFile | undefined;
  readonly jobId: string | undefined;
}

export interface ReceivedFile {
  readonly objectKey: string;
  readonly sizeBytes: number;
  readonly sha256: string | null;
  readonly atMs: number;
}

/** How long a file that was received can be ingested. */
export const keptForMs = 24 * 3_600_000;

/** When a file that is not ingested is removed, and is not ingested any more. */
export const uploadDueMs = ({ received, expiresAtMs }: Upload): number =>
  received ? received.atMs + keptForMs : expiresAtMs;

/** Where the file of an id lies if nothing else is told; whatever else there is of it lies under that key. */
export const uploadKey = (network: number, fileId: string): string => `uploads/${network}/${fileId}`;
