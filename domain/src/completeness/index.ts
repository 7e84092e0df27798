export { completenessCell, type HourObservations } from './cell-of.ts';
