export { MetricDefinitions } from './metric-definitions.ts';
export { defaultThresholds, Thresholds } from './thresholds.ts';
