export { type AppendOutcome } from './append-decision.ts';
export { type ExpectedRevision, type ProposedEvent } from './event-codec.ts';
export { StreamStore } from './stream-store.ts';
