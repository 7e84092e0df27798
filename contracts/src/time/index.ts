export { Instant, InstantText, instantOf } from './instant.ts';
export { instantMs } from './instant-ms.ts';
