import { startSchedule } from '@popsvc/platform/runtime';
import { Counter, type Registry } from '@popsvc/platform/telemetry';
import { type FollowerDependencies, superviseFollower } from '../engine/runner/log-follower.ts';
import { createNoticeMonitor, type NoticeMonitorDependencies, noticedStreams, noticesName } from './notice-monitor.ts';

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
