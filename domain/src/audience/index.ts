export type { Span } from '../spans/index.ts';
export { attribute, type CoffeeAudience, type Play } from './attribute.ts';
export type { Detection } from './detection.ts';
export { feederOnline, feederReachMs } from './feeder-online.ts';
export { mergeWatches } from './merge-watches.ts';
export type { MetricFlags } from './metric-flags.ts';
export { observe, type Observation } from './observe.ts';
export {
  type DetectionVersion,
  firstAccepted,
  type PlayReceipt,
  type Position,
  readDetections,
  supersede,
} from './supersede.ts';
export { thresholdsAt, type ThresholdVersion } from './thresholds-at.ts';
