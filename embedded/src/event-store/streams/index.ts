export { type AppendOutcome } from './append-decision.ts';
export {
  countAppendBytes,
  type ExpectedRevision,
  type ProposedEvent,
  readRecordedEvent,
  readStreamName,
  readEventType,
} from './event-codec.ts';
export { type StreamEntry } from './stream-table.ts';
export { StreamStore } from './stream-store.ts';
