export type { Span } from '../spans/index.ts';
export { attributeAudience, type CoffeeAudience, type Play } from './attribute.ts';
export type { Detection } from './detection.ts';
export { wasFeederOnline, feederOnlineWindowMs } from './feeder-online.ts';
export { mergeWatches } from './merge-watches.ts';
export type { MetricFlags } from './metric-flags.ts';
export { summarizeDetection, type DetectionSummary } from './observe.ts';
export {
  type DetectionVersion,
  firstReceipts,
  type PlayReceipt,
  type Position,
  currentDetections,
  newerDetection,
} from './supersede.ts';
export { thresholdsAt, type ThresholdVersion } from './thresholds-at.ts';
