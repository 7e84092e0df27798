export { completenessCell, type HourObservations } from './completeness-cell.ts';
