export * from './event-log.ts';
export * from './frame.ts';
export { lockDirectory } from './directory-lock.ts';
export { DamagedLog, type Page } from './page.ts';
export { segmentHeaderBytes, type Segment } from './segment.ts';
