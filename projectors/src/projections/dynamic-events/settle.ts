import type { TriedAt } from '../../engine/projection.ts';
import type { NextPoint } from './retry-index.ts';
import type { Group } from './retry-points.ts';
import { type Fitted, type Known, tryMappings, type Waiting } from './try-mappings.ts';
import type { WaitingEvent } from './waiting-pages.ts';

/** What a batch made of an event that waited. */
export interface Settled {
  readonly at: TriedAt;
  /** Why it waits, or last waited. */
  readonly waiting: Waiting;
  readonly fitted?: Fitted;
}

const isTold = (known: Waiting, { code, reason, eventId, screens }: Waiting): boolean =>
  known.code === code &&
  known.reason === reason &&
  known.eventId === eventId &&
  known.screens.join('\n') === screens.join('\n');

/**
 * Tries an event at every point of the batch that concerns it, each time as the log stood there, so that it does not matter
 * where batches begin and end. Undefined when nothing changed.
 */
export const settle = (
  known: Known,
  { sent, waiting, released, triedAt }: WaitingEvent,
  group: Group,
  nextPoint: NextPoint,
): Settled | undefined => {
  if (released) {
    const again = tryMappings(known, sent, released.position);
    return 'play' in again ? { at: released, waiting, fitted: again } : undefined;
  }
  let [now, changed]: [Waiting, Settled | undefined] = [waiting, undefined];
  // What came before it was tried last it was tried with: one that was set aside was not tried where it stands.
  // The screens an event waits for may be others from one point to the next.
  for (
    let point = nextPoint(group, now.screens, triedAt.position);
    point;
    point = nextPoint(group, now.screens, point.position)
  ) {
    const tried = tryMappings(known, sent, point.position);
    if ('play' in tried) return { at: point, waiting: now, fitted: tried };
    if (!isTold(now, tried)) changed = { at: point, waiting: tried };
    now = tried;
  }
  return changed;
};
