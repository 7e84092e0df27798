export type { ReplayParts } from './replay-parts.ts';
export { replaying } from './replaying.ts';
