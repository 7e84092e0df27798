import { intakeStream, registryStream, registryTypeOf } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { wasFeederOnline } from '../../oracle/audience.ts';
import fc from 'fast-check';
import { listEvent } from '../../support/list-events.ts';

/** Heartbeats of a network's two feeders, and moves of them between its two devices. */
export type FeederEvent =
  | { readonly kind: 'beat'; readonly feeder: 1 | 2; readonly atMs: number }
  | {
      readonly kind: 'move';
      readonly feeder: 1 | 2;
      /** 0: retired. */
      readonly device: 0 | 1 | 2;
      readonly fromMs: number;
    };

const feeder = fc.constantFrom(1 as const, 2 as const);

/** About five minutes before the plays, about as they run, or anywhere; the order of events is not the order of their times. */
export const heartbeatEvent = (baseMs: number): fc.Arbitrary<FeederEvent> =>
  fc.record({
    kind: fc.constant('beat' as const),
    feeder,
    atMs: fc
      .oneof(
        fc.integer({ min: -320_000, max: -230_000 }),
        fc.integer({ min: -20_000, max: 80_000 }),
        fc.integer({ min: -700_000, max: 1_000_000 }),
      )
      .map((offset) => baseMs + offset),
  });

export const moveEvent = (baseMs: number): fc.Arbitrary<FeederEvent> =>
  fc.record({
    kind: fc.constant('move' as const),
    feeder,
    device: fc.constantFrom(0 as const, 1 as const, 2 as const),
    fromMs: fc.integer({ min: -20_000, max: 70_000 }).map((offset) => baseMs + offset),
  });

const others = 1_000_000_000;
/** Ids: the network's own number for the device with the screen and the first feeder, far above for the second of each. */
export const idOf = (network: number, which: 1 | 2): number => network + (which - 1) * others;

/** What the log holds: the second feeder is registered by its first move. */
export const feederEvent = (network: number, event: FeederEvent) => {
  const id = idOf(network, event.feeder);
  if (event.kind === 'beat') {
    const stream = intakeStream('heartbeat', network, `v${network}`, 0);
    return { stream, ...listEvent('HeartbeatsRecorded', { feederId: id, at: instantOf(event.atMs) }) };
  }
  const device = idOf(network, event.device === 2 ? 2 : 1);
  return {
    stream: registryStream('feeders', String(id)),
    type: registryTypeOf('feeders', event.device === 0 ? 'Retired' : 'Registered'),
    data: { id, name: `Feeder ${id}`, device, effective_from: instantOf(event.fromMs) },
  };
};

interface AnyEvent {
  readonly kind: string;
}
const isFeederEvent = (event: AnyEvent): event is FeederEvent => event.kind === 'beat' || event.kind === 'move';

/** The device that a feeder belonged to: the first registration holds for all earlier times, too. */
const deviceAt = (all: readonly FeederEvent[], which: 1 | 2, instantMs: number): number | undefined => {
  const moves = all.flatMap((event) => (event.kind === 'move' && event.feeder === which ? [event] : []));
  const first = which === 1 ? [{ device: 1, fromMs: -Infinity }] : [];
  const held = [...first, ...moves].map(({ device, fromMs }, index) => ({
    device,
    fromMs: index === 0 ? -Infinity : fromMs,
  }));
  const past = held.filter(({ fromMs }) => fromMs <= instantMs);
  const latestMs = Math.max(...past.map(({ fromMs }) => fromMs));
  return past.findLast(({ fromMs }) => fromMs === latestMs)?.device;
};

/** Whether a feeder of the screen's device was online during a play, by the domain's rule. */
export const wasOnline = (all: readonly AnyEvent[], play: { startMs: number; durationMs: number }): boolean => {
  const feederEvents = all.filter(isFeederEvent);
  const heartbeats = feederEvents.flatMap((each) =>
    each.kind === 'beat' && deviceAt(feederEvents, each.feeder, play.startMs) === 1 ? [each.atMs] : [],
  );
  return wasFeederOnline(play, heartbeats);
};
