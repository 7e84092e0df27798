import { allEvents } from './all.ts';
import type { EventDefinition } from './define-event.ts';

const byType = new Map(allEvents.map((definition) => [definition.type, definition]));

/** The definition of a stored type; undefined for a type of a newer build, which readers pass over. */
export const findEventDefinition = (type: string): EventDefinition | undefined => byType.get(type);
