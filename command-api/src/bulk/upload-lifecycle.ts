import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { UploadClaimed, UploadExpired, UploadRequested, streamPrefixes, uploadStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { jobEndTypes, type Upload, uploadObjectKey, uploadRemovalMs } from '@popsvc/domain/bulk';
import type { EventStore, LogEvent } from '@popsvc/platform/event-store';
import { retryUntilAborted, subscribeWithLease } from '@popsvc/platform/message-bus';
import {
  claimUploadChecks,
  postponeUploadCheck,
  type Queryable,
  removeOpenUpload,
  storeOpenUploads,
  type UploadCheck,
} from '@popsvc/platform/postgres';
import { deriveJobId, queueJob } from './jobs.ts';
import { appendBulkEvent, type BulkDependencies, findUpload, type LoggedUpload, recordStoredFile } from './uploads.ts';

/** Pause of the sweep, and delay before a failed check is repeated. */
const defaultSweepMs = 60_000;
/** Longest time until an upload is checked again. */
const maxWaitMs = 3_600_000;
const checksAtATime = 4;

export interface UploadLifecycleDependencies extends BulkDependencies {
  readonly store: EventStore;
}

/**
 * Expires uploads without a job, removes files that are no longer needed, and queues jobs whose request failed after the claim. One process
 * copies the open uploads to PostgreSQL, all check them, and every step is idempotent.
 */
export const startUploadLifecycle = (
  dependencies: UploadLifecycleDependencies,
  sweepMs = defaultSweepMs,
): { stop(): Promise<void> } => {
  const { clock, storage, store, postgres, log } = dependencies;
  const end = new AbortController();
  const { signal } = end;
  const owner = randomUUID();

  const storeUploads = (client: Queryable, events: readonly LogEvent[]) => {
    const requested = events
      .filter(({ type }) => type === UploadRequested.type)
      .map(({ data }) => (data as UploadRequested).fileId)
      .map((fileId) => ({ fileId, jobId: deriveJobId(fileId) }));
    const jobIdsOf = (...types: readonly string[]) =>
      events.filter(({ type }) => types.includes(type)).map(({ data }) => (data as UploadClaimed).jobId);
    const changes = { requested, claimedJobIds: jobIdsOf(UploadClaimed.type), endedJobIds: jobIdsOf(...jobEndTypes) };
    return storeOpenUploads(client, changes, clock.now());
  };
  const followUploads = () =>
    subscribeWithLease(
      { store, postgres, owner },
      {
        name: 'open-uploads',
        // Frequent probe events keep the stored position moving while uploads are rare.
        prefixes: [streamPrefixes.upload, streamPrefixes.bulkJob, streamPrefixes.probe],
        maxEvents: 500,
        maxWaitMs: 5,
        inTransaction: storeUploads,
      },
      signal,
    );

  const isDue = ({ upload }: LoggedUpload) => clock.now() >= uploadRemovalMs(upload);
  const removeFile = ({ network, requested: { fileId } }: Upload) =>
    storage.objects.remove(uploadObjectKey(network, fileId));

  /** Returns when to check the upload again, in ms since 1970; undefined if no work is left. */
  const expireUpload = async (logged: LoggedUpload): Promise<number | undefined> => {
    const { fileId } = logged.upload.requested;
    // An external object store may have a file that no event records, which postpones the expiry.
    const current = isDue(logged) ? await recordStoredFile(dependencies, logged) : logged;
    const { upload, revision } = current;
    if (upload.status !== 'expired') {
      if (!isDue(current)) return uploadRemovalMs(upload);
      const { network, vendor } = upload;
      const isAppended = await appendBulkEvent(dependencies, uploadStream(fileId), {
        definition: UploadExpired,
        data: { fileId },
        metadata: { receivedAt: instantOf(clock.now()), network, vendor },
        expected: revision,
      });
      // Another event was appended in the meantime, so the next check must decide from the new state.
      if (!isAppended) return clock.now();
    }
    await removeFile(upload);
    return undefined;
  };

  const checkClaimedUpload = async (claimed: LoggedUpload, isJobEnded: boolean): Promise<number | undefined> => {
    if (!isJobEnded) {
      await queueJob(dependencies, claimed);
      return Infinity;
    }
    await removeFile(claimed.upload);
    return undefined;
  };

  const checkUpload = async (check: UploadCheck): Promise<void> => {
    const { fileId, isJobEnded } = check;
    try {
      const logged = await findUpload(dependencies, fileId);
      const isClaimed = logged?.upload.status === 'claimed';
      const checkAtMs = logged && (await (isClaimed ? checkClaimedUpload(logged, isJobEnded) : expireUpload(logged)));
      if (checkAtMs === undefined) await removeOpenUpload(postgres, fileId);
      else await postponeUploadCheck(postgres, check, Math.min(checkAtMs, clock.now() + maxWaitMs));
    } catch (cause) {
      throw new Error(`failed to check upload ${fileId}`, { cause });
    }
  };

  const sweepUntilAborted = async () => {
    while (!signal.aborted) {
      const claim = { nowMs: clock.now(), retryMs: sweepMs, limit: checksAtATime };
      const checks = await claimUploadChecks(postgres, claim);
      const results = await Promise.allSettled(checks.map(checkUpload));
      const failed = results.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason as Error;
      if (checks.length < checksAtATime) await sleep(sweepMs, undefined, { signal });
    }
  };

  const loops = [
    retryUntilAborted({ task: 'store open uploads', log, signal }, followUploads),
    retryUntilAborted({ task: 'sweep uploads', log, signal }, sweepUntilAborted),
  ];
  return {
    async stop() {
      end.abort();
      await Promise.all(loops);
    },
  };
};
