export { defaultThresholds, Thresholds } from './thresholds.ts';
