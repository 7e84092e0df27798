export { Instant, InstantText, instantMs, instantOf } from './instant.ts';
