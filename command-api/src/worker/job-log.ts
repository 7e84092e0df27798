import { randomUUID } from 'node:crypto';
import { bulkJobStream, type DataOf, type EventDefinition } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { type EventStore, type NewEvent, WrongExpectedVersion } from '@popsvc/platform/event-store';
import type { Insist } from './insist.ts';
import type { JobInLog } from './job-in-log.ts';

/** Somebody else has written to the job's stream: the job is theirs. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
}

export interface Told {
  readonly type: string;
  readonly version: number;
  readonly data: unknown;
}

export const told = <Definition extends EventDefinition>(
  { type, version }: Definition,
  data: DataOf<Definition>,
): Told => ({ type, version, data });

export interface JobLog {
  /** Writes to the job's stream right after what is known of it, all or nothing. Throws Fenced when it went on without us. */
  tell(...events: readonly Told[]): Promise<void>;
}

export const jobLog = (store: Pick<EventStore, 'append'>, { job, revision }: JobInLog, insist: Insist): JobLog => {
  const { network, vendor, queued } = job;
  const stream = bulkJobStream(queued.jobId);
  let expected = revision;
  return {
    async tell(...events) {
      if (events.length === 0) return;
      const receivedAt = instantOf(Date.now());
      const named = events.map(({ type, version, data }): NewEvent => ({
        id: randomUUID(),
        type,
        data,
        metadata: { schemaVersion: version, receivedAt, network, vendor, correlationId: queued.jobId },
      }));
      try {
        // The same ids again in the same place are the same events.
        ({ revision: expected } = await insist(() => store.append(stream, named, { expected })));
      } catch (error) {
        if (error instanceof WrongExpectedVersion) throw new Fenced('another attempt is at work', { cause: error });
        throw error;
      }
    },
  };
};
