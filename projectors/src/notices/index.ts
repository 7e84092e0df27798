export {
  createNoticeMonitor,
  noticedStreams,
  type NoticeMonitor,
  type NoticeMonitorDependencies,
  noticesName,
  type NoticeThresholds,
} from './notice-monitor.ts';
export { createNoticeMetrics, runNotices } from './notice-process.ts';
