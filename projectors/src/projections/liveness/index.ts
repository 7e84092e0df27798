export { createLivenessMonitor, type LivenessMonitor, type LivenessMonitorDependencies } from './monitor.ts';
export { runLivenessMonitor } from './liveness-process.ts';
