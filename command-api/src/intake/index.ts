export { eventIds, requestIdentity } from './event-ids.ts';
export { storedAlready, type Tries } from './stored-already.ts';
