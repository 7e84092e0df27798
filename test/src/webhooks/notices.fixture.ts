import { NoticeIssued, probeStream, streamPrefixes } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import type { Notice } from '@popsvc/contracts/webhooks';
import { emptyRegistry } from '@popsvc/domain/registry';
import type { EventStore } from '@popsvc/platform/event-store';
import type { Postgres } from '@popsvc/platform/postgres';
import { createNoticeMonitor, type NoticeMonitor, type NoticeMonitorDependencies } from '@popsvc/projectors/notices';
import { randomUUID } from 'node:crypto';
import { log } from '../message-bus/bus.fixture.ts';

export const standardThresholds = { reportFinalHours: 72, quarantineAlertRows: 1_000, vendorSilentMinutes: 120 };

/** A monitor of notices that follows the log to its end on demand. */
export interface FollowedMonitor {
  /** Follows until the end of the log, runs the work while the monitor holds the lease, and stops. */
  follow(work?: (monitor: NoticeMonitor) => Promise<void>): Promise<void>;
}

const appendProbe = (store: EventStore) =>
  store.append(probeStream('test'), [
    {
      id: randomUUID(),
      type: 'ProbeEmitted',
      data: { service: 'test', emittedAt: instantOf(Date.now()) },
      metadata: { schemaVersion: 1, receivedAt: instantOf(Date.now()) },
    },
  ]);

/** Creates a monitor; without other parts, there are no read models. */
export const followedMonitor = (
  { store, postgres }: { readonly store: EventStore; readonly postgres: Postgres },
  parts: Partial<NoticeMonitorDependencies> = {},
): FollowedMonitor => {
  const monitor = createNoticeMonitor({
    store,
    postgres,
    owner: 'test',
    log,
    shards: [],
    registryLog: { readCurrent: () => Promise.resolve({ registry: emptyRegistry(), expected: () => 'no_stream' }) },
    readFleet: () => Promise.reject(new Error('there is no read model')),
    thresholds: standardThresholds,
    ageMs: 5,
    ...parts,
  });
  return {
    async follow(work) {
      const { position } = await appendProbe(store);
      const end = new AbortController();
      const endings: Promise<void>[] = [];
      const finish = async () => {
        try {
          await work?.(monitor);
        } finally {
          end.abort();
        }
      };
      // The first run begins at the end of the log, which may be after the first probe.
      const probes = setInterval(() => void appendProbe(store).catch(() => undefined), 100);
      const following = monitor.follow(end.signal, (events) => {
        if (endings.length === 0 && events.at(-1)!.position >= position) endings.push(finish());
        endings[0]?.catch(() => undefined);
      });
      await following.finally(() => clearInterval(probes));
      await Promise.all(endings);
    },
  };
};

/** The notices in the log, in log order, with their streams. */
export const readNotices = async (
  store: EventStore,
): Promise<
  readonly {
    readonly stream: string;
    readonly id: string;
    readonly notice: Notice;
    readonly vendor: string | undefined;
  }[]
> => {
  const stop = new AbortController();
  const found = [];
  for await (const item of store.subscribe({
    after: 'start',
    prefixes: [streamPrefixes.notice],
    signal: stop.signal,
  })) {
    if (item.kind === 'caught-up') break;
    const { stream, id, data, metadata } = item.event;
    const { notice } = NoticeIssued.read(data, metadata.schemaVersion);
    found.push({ stream, id, notice, vendor: metadata.vendor });
  }
  stop.abort();
  return found;
};
