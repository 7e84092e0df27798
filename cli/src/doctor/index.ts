export { compareClocks } from './checks.ts';
