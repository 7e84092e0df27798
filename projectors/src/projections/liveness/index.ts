export {
  createLivenessMonitor,
  type LivenessMonitor,
  type LivenessMonitorDependencies,
  runLivenessMonitor,
} from './monitor.ts';
