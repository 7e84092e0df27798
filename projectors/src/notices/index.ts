export { createNoticeMonitor, type NoticeMonitor, type NoticeMonitorDependencies } from './notice-monitor.ts';
