import { NoticeIssued } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import type { NoticeType } from '@popsvc/contracts/webhooks';
import { type NewNotice, noticeId, streamOfNotice, vendorOfNotice } from '@popsvc/domain/notices';
import { type EventStore, type LogEvent, type NewEvent, WrongExpectedVersion } from '@popsvc/platform/event-store';
import type { Clock } from '@popsvc/platform/runtime';

interface NoticeStream {
  revision: bigint | undefined;
  /** Log position of the latest event that caused a notice of the stream. Events cause notices in the order of the log. */
  lastCause: bigint;
  /** Keys of the newest notices without a cause, the oldest first. */
  readonly keys: Set<string>;
}

/** Read models repeat a key for at most eight days (`vendor.silent`), in which a stream hardly gets more notices than this. */
const keptKeys = 5_000;
/** An append conflicts if another process writes to the stream while the lease changes hands. */
const maxAttempts = 5;
const maxNotices = 500;

export interface NoticeLogDependencies {
  readonly store: Pick<EventStore, 'append' | 'readStream'>;
  readonly clock: Clock;
  readonly onIssued?: ((type: NoticeType, count: number) => void) | undefined;
}

export interface NoticeLog {
  /** Skips a notice that its stream already contains, which it recognizes by the key or by the event that caused the notice. */
  issue(notices: readonly NewNotice[]): Promise<void>;
  /** For streams whose notices have no cause; the oldest key first. */
  readKeys(stream: string): Promise<ReadonlySet<string>>;
}

const readNotice = ({ data, metadata }: LogEvent) => {
  try {
    return NoticeIssued.read(data, metadata.schemaVersion);
  } catch {
    // For example, a newer release wrote the notice.
    return undefined;
  }
};

/** Only the process that decides on notices may use the notice log, because the notice log keeps the state of each stream in memory. */
export const createNoticeLog = ({ store, clock, onIssued }: NoticeLogDependencies): NoticeLog => {
  const streams = new Map<string, NoticeStream>();

  const load = async (name: string, max: number): Promise<NoticeStream> => {
    const known = streams.get(name);
    if (known) return known;
    const newest: LogEvent[] = [];
    for await (const event of store.readStream(name, { direction: 'backwards', max })) newest.push(event);
    const stream: NoticeStream = { revision: newest[0]?.revision, lastCause: 0n, keys: new Set() };
    for (const event of newest.reverse()) {
      const issued = readNotice(event);
      if (!issued) continue;
      if (issued.cause === undefined) stream.keys.add(issued.key);
      else stream.lastCause = BigInt(issued.cause);
    }
    streams.set(name, stream);
    return stream;
  };

  const isNew = ({ lastCause, keys }: NoticeStream, { key, cause }: NewNotice) =>
    cause === undefined ? !keys.has(key) : cause > lastCause;

  const toEvent = (issued: NewNotice): NewEvent => {
    const { notice, key, cause } = issued;
    const vendor = vendorOfNotice(notice);
    return {
      id: noticeId(issued),
      type: NoticeIssued.type,
      data: { notice, key, ...(cause !== undefined && { cause: String(cause) }) },
      metadata: {
        schemaVersion: NoticeIssued.version,
        receivedAt: instantOf(clock.now()),
        network: notice.data.network_id,
        ...(vendor !== undefined && { vendor }),
      },
    };
  };

  const remember = (stream: NoticeStream, notices: readonly NewNotice[], revision: bigint) => {
    stream.revision = revision;
    for (const { key, cause } of notices) {
      if (cause === undefined) stream.keys.add(key);
      else stream.lastCause = cause;
    }
    for (const key of stream.keys) {
      if (stream.keys.size <= keptKeys) break;
      stream.keys.delete(key);
    }
  };

  const issueInStream = async (name: string, given: readonly NewNotice[]) => {
    for (let attempt = 1; ; attempt += 1) {
      const stream = await load(name, given[0]?.cause === undefined ? keptKeys : 1);
      const due = given.filter((notice) => isNew(stream, notice)).slice(0, maxNotices);
      if (due.length === 0) return;
      try {
        const { revision } = await store.append(name, due.map(toEvent), { expected: stream.revision ?? 'no_stream' });
        remember(stream, due, revision);
        onIssued?.(due[0]!.notice.type, due.length);
        attempt = 0;
      } catch (error) {
        // The stream is read again, also after an append with an unknown outcome.
        streams.delete(name);
        if (!(error instanceof WrongExpectedVersion) || attempt === maxAttempts) throw error;
      }
    }
  };

  return {
    async issue(notices) {
      const byStream = new Map<string, NewNotice[]>();
      for (const notice of notices) {
        const name = streamOfNotice(notice);
        const own = byStream.get(name);
        if (own) own.push(notice);
        else byStream.set(name, [notice]);
      }
      for (const [name, own] of byStream) await issueInStream(name, own);
    },
    readKeys: async (name) => (await load(name, keptKeys)).keys,
  };
};
