export { DurationSource, Mapping, type PathStep, pathSteps, patternTokens, TextSource, TimeSource } from './mapping.ts';
export { StoredMapping } from './stored-mapping.ts';
