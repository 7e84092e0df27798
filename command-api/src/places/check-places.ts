import { maxErrorDetails, ApiError } from '@popsvc/contracts/errors';
import { registryStream } from '@popsvc/contracts/events';
import { withDeadline } from '@popsvc/platform/runtime';
import { type EventStore, EventStoreUnavailable } from '@popsvc/platform/event-store';
import { invalid } from '../intake/invalid.ts';
import type { RegistryMirror } from './registry-mirror.ts';
import { type Located, type Stranger, strangersIn } from './strangers.ts';

const patienceMs = 1_000;

/** Looks at the items of the list of this name. */
export type CheckPlaces = (list: string, items: readonly Located[], network: number) => Promise<void>;

/**
 * Refuses what comes from devices, feeders or cameras that are not the network's. Before it says no it looks into the log itself:
 * an entity registered a moment ago may not have arrived here yet. When it cannot be sure within a second, it is 503, not 400.
 */
export const checkPlaces = (mirror: RegistryMirror, store: Pick<EventStore, 'readStream'>): CheckPlaces => {
  const newest = async ({ kind, id }: Stranger): Promise<bigint | undefined> => {
    const stream = registryStream(kind, String(id));
    for await (const { position } of store.readStream(stream, { direction: 'backwards', max: 1 })) return position;
    return undefined;
  };

  /** What the log said last of these entities, once that is known here too. */
  const catchUp = async (strangers: readonly Stranger[], untilMs: number): Promise<void> => {
    const positions = await Promise.all(strangers.map(newest));
    const latest = positions.reduce<bigint>((most, position) => (position && position > most ? position : most), 0n);
    if (latest > 0n && !(await mirror.reaches(latest, untilMs - performance.now())))
      throw new EventStoreUnavailable('the registry lags behind the log');
  };

  return async (list, items, network) => {
    const untilMs = performance.now() + patienceMs;
    const sure = new Set<string>();
    for (;;) {
      const strangers = strangersIn(list, items, network, mirror.registry).slice(0, maxErrorDetails);
      const unsure = strangers.filter(({ kind, id }) => !sure.has(`${kind} ${id}`));
      if (strangers.length === 0) return;
      if (unsure.length === 0) throw invalid(strangers.map(({ path, message }) => ({ path, message })));
      try {
        await withDeadline(catchUp(distinct(unsure), untilMs), patienceMs, 'looking an id up');
      } catch (cause) {
        throw new ApiError('UNAVAILABLE', 'Whether these ids are registered cannot be told now.', { cause });
      }
      for (const { kind, id } of unsure) sure.add(`${kind} ${id}`);
    }
  };
};

const distinct = (strangers: readonly Stranger[]): readonly Stranger[] => [
  ...new Map(strangers.map((stranger) => [`${stranger.kind} ${stranger.id}`, stranger])).values(),
];
