export { Instant, instantMs, instantOf, InstantText } from './instant.ts';
