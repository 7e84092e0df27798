export { clockFindings } from './clock.ts';
