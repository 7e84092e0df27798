export { eventStoreEntry, type EventStoreNode, startEventStoreNode } from './node.ts';
export { SegmentChecker } from './log/segment-checker.ts';
export { repairLog } from './maintenance/repair-log.ts';
export { verifyLog } from './maintenance/verify-log.ts';
export { findPeerUser } from './peer-users.ts';
