export { DurationSource, Mapping, TextSource, TimeSource } from './mapping.ts';
