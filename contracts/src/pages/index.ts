export { reportPages } from './report-page.ts';
