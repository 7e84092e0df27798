export { EventLog } from './event-log.ts';
export { type EventLogOptions, defaultSegmentBytes } from './event-log-options.ts';
export * from './frame.ts';
export { lockDirectory } from './directory-lock.ts';
export { DamagedLog, type Page } from './page.ts';
export { segmentHeaderBytes, type Segment } from './segment.ts';
