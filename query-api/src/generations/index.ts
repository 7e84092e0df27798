export { createProgressReader } from './live-generations.ts';
