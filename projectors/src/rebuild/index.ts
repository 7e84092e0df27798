export { type Build, buildGeneration, type BuildParts, type BuildProgress } from './build-generation.ts';
