export { ask, type Request } from './ask.ts';
export { batches } from './batches.ts';
export { type Push, pusher, type Target } from './push.ts';
