export { type Totals, totals } from './totals.ts';
