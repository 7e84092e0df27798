export { cellOf, type HourSeen } from './cell-of.ts';
