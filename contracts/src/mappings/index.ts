export { DurationSource, Mapping, TextSource, TimeSource } from './mapping.ts';
export { pathSteps, type PathStep } from './path.ts';
export { StoredMapping } from './stored-mapping.ts';
export { patternTokens } from './time-pattern.ts';
