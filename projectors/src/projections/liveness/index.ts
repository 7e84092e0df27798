export {
  createLivenessMonitor,
  livenessName,
  livenessStreams,
  type LivenessMonitor,
  type LivenessMonitorDependencies,
} from './monitor.ts';
export { runLivenessMonitor, type LivenessProcessDependencies } from './liveness-process.ts';
