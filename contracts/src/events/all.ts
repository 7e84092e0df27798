import type { EventDefinition } from './define-event.ts';
import { DetectionRecorded } from './detection-recorded.event.ts';
import { PopRecorded } from './pop-recorded.event.ts';
import { ProbeEmitted } from './probe-emitted.event.ts';
import { registryEvents } from './registry.events.ts';

/** Every event the house writes; one line each. */
export const allEvents: readonly EventDefinition[] = [PopRecorded, DetectionRecorded, ProbeEmitted, ...registryEvents];
