export { reportBounds } from './report-bounds.ts';
