export { type AppendOutcome } from './append-outcome.ts';
export { type ExpectedRevision, type ProposedEvent, countedBytes } from './proposed-event.ts';
export { type StreamEntry } from './stream-entry.ts';
export { StreamStore } from './stream-store.ts';
export { recordedOf, streamNameOf, typeOf } from './stored-event.ts';
