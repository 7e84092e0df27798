export { reportBounds } from './report-bounds.ts';
export { reportPages } from './report-page.ts';
