export { createProgressReader, type GenerationProgress } from './live-generations.ts';
