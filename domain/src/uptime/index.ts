export { type IntervalVersion, supersedeInterval } from './supersede-interval.ts';
