import { streamPrefixes } from '@popsvc/contracts/events';
import { noticeOfEvent } from '@popsvc/domain/notices';
import { describeShard, type ShardReader } from '@popsvc/platform/clickhouse';
import type { LogEvent } from '@popsvc/platform/event-store';
import { subscribeWithLease } from '@popsvc/platform/message-bus';
import { startSchedule, systemClock } from '@popsvc/platform/runtime';
import { Counter, type Registry } from '@popsvc/platform/telemetry';
import type { ReadFleet, RegistryLog } from '@popsvc/ops-api/server';
import { onEachShard } from '@popsvc/read-models/generations';
import pLimit from 'p-limit';
import { readEvent } from '../engine/log-items.ts';
import {
  type FollowerDependencies,
  type MonitorDependencies,
  superviseFollower,
} from '../engine/runner/log-follower.ts';
import { createNoticeLog, type NoticeLog, type NoticeLogDependencies } from './notice-log.ts';
import { createRestatedDays, reportFinalDays } from './report-days.ts';
import { findGrowingQuarantine, findSilence } from './vendor-notices.ts';

/** Name under which the monitor's lease and position are stored, as if it were a projection. */
export const noticesName = 'notices';

/** Probes are read, because they advance the position while there are no other events. */
export const noticedStreams: readonly string[] = [
  streamPrefixes.bulkJob,
  streamPrefixes.liveness,
  streamPrefixes.probe,
];

interface NoticeThresholds {
  /** Hours after the end of a UTC day after which it is final. */
  readonly reportFinalHours: number;
  /** Number of quarantined events and rows of a vendor, received in one hour, beyond which a notice reports them. */
  readonly quarantineAlertRows: number;
  /** Minutes of opening hours without plays of a vendor after which a notice reports the vendor. */
  readonly vendorSilentMinutes: number;
}

export interface NoticeMonitorDependencies extends MonitorDependencies, Pick<NoticeLogDependencies, 'onIssued'> {
  /** Reads the views of the live generations of each shard. */
  readonly shards: readonly ShardReader[];
  readonly registryLog: RegistryLog;
  readonly readFleet: ReadFleet;
  readonly thresholds: NoticeThresholds;
}

export interface NoticeMonitor {
  /** Follows the log until the signal aborts. Throws when it cannot continue; it can then be called again. */
  follow(signal: AbortSignal, onMoved?: (events: readonly LogEvent[]) => void): Promise<void>;
  /** Issues the notices of the read models, except `report_day.restated`. Does nothing while this process does not hold the lease. */
  sweep(): Promise<void>;
  /** Issues `report_day.restated`. Does nothing while this process does not hold the lease. */
  sweepRestatedDays(): Promise<void>;
}

/** What the process that holds the lease knows about the notices that were issued. */
interface Current {
  readonly noticeLog: NoticeLog;
  readonly reportRestatedDays: ReturnType<typeof createRestatedDays>;
}

/** Runs the steps one after another, also if one fails. Throws the first error. */
const runAll = async (steps: readonly (() => Promise<void>)[]): Promise<void> => {
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0] as Error;
};

/**
 * Decides which notices webhooks report, and appends each once to the stream of its network and type. Notices of events are appended
 * before the position moves; those of the read models are found again by the next sweep.
 */
export const createNoticeMonitor = ({
  shards,
  registryLog,
  readFleet,
  thresholds,
  log,
  clock = systemClock,
  ageMs = 500,
  onIssued,
  ...dependencies
}: NoticeMonitorDependencies): NoticeMonitor => {
  /** Batches of events and sweeps append to the same streams, so they run one at a time. */
  const runExclusively = pLimit(1);
  let current: Current | undefined;
  const { store, postgres } = dependencies;

  const reportDays = (noticeLog: NoticeLog) => ({ postgres, noticeLog, finalHours: thresholds.reportFinalHours });

  const open = (): Current => {
    const noticeLog = createNoticeLog({ store, clock, onIssued });
    return { noticeLog, reportRestatedDays: createRestatedDays(reportDays(noticeLog)) };
  };

  const noticesOf = (event: LogEvent) => {
    const { stream, type, position } = event;
    try {
      const data = readEvent(event);
      const notice = data === undefined ? undefined : noticeOfEvent({ ...event, data });
      return notice ? [notice] : [];
    } catch (err) {
      log.warn({ err, stream, type, position: String(position) }, 'failed to read an event; it causes no notice');
      return [];
    }
  };

  const sweepWhileHeld = (sweep: (held: Current, nowMs: number) => Promise<void>) =>
    runExclusively(async () => {
      if (current) await sweep(current, clock.now());
    });

  /** Shards run at the same time: no two have the same network, so they append to different streams. */
  const sweepShards = async (sweep: (shard: ShardReader) => Promise<void>): Promise<void> => {
    await onEachShard(shards, sweep, ({ shard }, err) =>
      log.warn({ err, shard: describeShard(shard) }, 'failed to issue the notices of a shard; retrying'),
    );
  };

  return {
    async follow(signal, onMoved) {
      current = undefined;
      try {
        await subscribeWithLease(
          dependencies,
          {
            name: noticesName,
            prefixes: noticedStreams,
            // Notices of what happened before the first start are of no use to subscribers.
            begin: 'end',
            maxEvents: 500,
            maxWaitMs: ageMs,
            handle: (events) =>
              runExclusively(async () => {
                // Reads the streams only after this process has taken the lease.
                current ??= open();
                await current.noticeLog.issue(events.flatMap(noticesOf));
              }),
            ...(onMoved && { onMoved }),
          },
          signal,
        );
      } finally {
        current = undefined;
      }
    },
    sweep: () =>
      sweepWhileHeld(async ({ noticeLog }, nowMs) => {
        const { quarantineAlertRows, vendorSilentMinutes } = thresholds;
        const { registry } = await registryLog.readCurrent();
        const sweepShard = (shard: ShardReader) =>
          runAll([
            async () => reportFinalDays(reportDays(noticeLog), shard, registry, nowMs),
            async () => noticeLog.issue(await findGrowingQuarantine(shard, quarantineAlertRows, nowMs)),
          ]);
        await runAll([
          () => sweepShards(sweepShard),
          async () => noticeLog.issue(await findSilence(readFleet, vendorSilentMinutes, nowMs)),
        ]);
      }),
    sweepRestatedDays: () =>
      sweepWhileHeld(async ({ reportRestatedDays }, nowMs) => {
        const { registry } = await registryLog.readCurrent();
        await sweepShards((shard) => reportRestatedDays(shard, registry, nowMs));
      }),
  };
};

const [eachMinute, eachTenMinutes] = ['* * * * *', '*/10 * * * *'];

export type NoticeProcessDependencies = Omit<NoticeMonitorDependencies, 'onIssued'> & FollowerDependencies;

export const createNoticeMetrics = (metrics: Registry) =>
  new Counter({
    name: 'popsvc_notices_total',
    help: 'Notices for webhooks that were appended to the log.',
    labelNames: ['type'] as const,
    registers: [metrics],
  });

/** Runs the monitor of notices and its sweeps until the signal aborts, and restarts the monitor after a failure. */
export const runNotices = async (dependencies: NoticeProcessDependencies, signal: AbortSignal): Promise<void> => {
  const { metrics, log } = dependencies;
  const issued = createNoticeMetrics(metrics);
  const monitor = createNoticeMonitor({ ...dependencies, onIssued: (type, count) => issued.inc({ type }, count) });
  const schedules = [
    startSchedule('notices', eachMinute, () => monitor.sweep(), log),
    startSchedule('restated-days', eachTenMinutes, () => monitor.sweepRestatedDays(), log),
  ];
  try {
    await superviseFollower(
      { name: noticesName, streams: noticedStreams, follow: (onMoved) => monitor.follow(signal, onMoved) },
      dependencies,
      signal,
    );
  } finally {
    await Promise.all(schedules.map((schedule) => schedule.stop()));
  }
};
