export { allEvents } from './all.ts';
export { definitionOf } from './catalogue.ts';
export { type DataOf, defineEvent, type EventDefinition, type EventOf, lift } from './define-event.ts';
export { DetectionRecorded } from './detection-recorded.event.ts';
export { EventMetadata } from './metadata.ts';
export { PopRecorded } from './pop-recorded.event.ts';
export { ProbeEmitted } from './probe-emitted.event.ts';
export {
  type RegistryChange,
  registryChanges,
  registryEvents,
  registryEventType,
  type RegistryEventType,
  registryTypeOf,
} from './registry.events.ts';
export { type IntakeKind, intakeStream, probeStream, registryStream, streamPrefixes } from './streams.ts';
