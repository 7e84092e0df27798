export type { GenerationProgress } from './live-generations.ts';
export { createProgressReader } from './progress-reader.ts';
