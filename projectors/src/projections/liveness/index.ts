export { livenessMonitor, livenessName, livenessReads, type Monitor, type MonitorParts } from './monitor.ts';
export { monitoring, type MonitoringParts } from './monitoring.ts';
