export { completenessCell, type HourObservations, isHourExpected } from './completeness-cell.ts';
