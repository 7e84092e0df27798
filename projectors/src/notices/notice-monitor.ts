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

export const noticesName = 'notices';

/** Includes probes, because they advance the position while there are no other events. */
export const noticedStreams: readonly string[] = [
  streamPrefixes.bulkJob,
  streamPrefixes.liveness,
  streamPrefixes.probe,
];

interface NoticeThresholds {
  /** Hours after the end of a UTC day until the day is final. */
  readonly reportFinalHours: number;
  /** Maximum quarantined events of a vendor in one hour of receipt; more cause a notice. */
  readonly quarantineAlertRows: number;
  /** Minutes of opening hours without plays of a vendor after which a notice is issued. */
  readonly vendorSilentMinutes: number;
}

export interface NoticeMonitorDependencies extends MonitorDependencies, Pick<NoticeLogDependencies, 'onIssued'> {
  readonly shards: readonly ShardReader[];
  readonly registryLog: RegistryLog;
  readonly readFleet: ReadFleet;
  readonly thresholds: NoticeThresholds;
}

export interface NoticeMonitor {
  /** Throws if it cannot continue; it can then be called again. */
  follow(signal: AbortSignal, onMoved?: (events: readonly LogEvent[]) => void): Promise<void>;
  /** Issues the notices of the read models, except `report_day.restated`. Does nothing until a running `follow` has handled events. */
  sweep(): Promise<void>;
  /** Issues `report_day.restated`. Does nothing until a running `follow` has handled events. */
  sweepRestatedDays(): Promise<void>;
}

interface Current {
  readonly noticeLog: NoticeLog;
  readonly reportRestatedDays: ReturnType<typeof createRestatedDays>;
}

const runAll = async (steps: readonly (() => Promise<void>)[]): Promise<void> => {
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0] as Error;
};

/**
 * Appends notices of events before the position moves past these events. If a notice of the read models is not appended, a later sweep can
 * find it again.
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
  /** Batches of events and sweeps append to the same streams, so only one of them runs at a time. */
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

  /** No two shards have the same network, so they append to different streams. */
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
            // Subscribers do not need notices of what happened before the first start.
            begin: 'end',
            maxEvents: 500,
            maxWaitMs: ageMs,
            handle: (events) =>
              runExclusively(async () => {
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
