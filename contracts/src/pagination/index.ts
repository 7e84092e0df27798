export { reportLimits } from './report-bounds.ts';
