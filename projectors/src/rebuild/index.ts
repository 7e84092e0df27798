export type { Build, Building, BuildParts, BuildProgress, Hands } from './build.ts';
export { buildGeneration } from './build-generation.ts';
export { inThisProcess } from './in-this-process.ts';
