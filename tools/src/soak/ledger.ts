import type { SoakNetwork } from './world.ts';

/** `unknown`: no answer, or one that says to come back; it may be stored or not. */
export type Outcome = 'ok' | 'unknown' | 'fail';

export interface ToldPlay {
  readonly id: string;
  readonly playedAtMs: number;
}

interface Known extends ToldPlay {
  /** When we knew that it is stored and is to be counted; undefined: not yet. */
  acknowledgedAtMs?: number;
}

export interface Ledger {
  /** One try of a request. */
  tried(kind: string, outcome: Outcome): void;
  /** Before it is sent for the first time. */
  sends(network: SoakNetwork, plays: readonly ToldPlay[]): void;
  acknowledged(network: SoakNetwork, ids: Iterable<string>, atMs: number): void;
  /** Events of plays in requests that are stored once, whatever happens. */
  storedOnce(network: SoakNetwork, events: number): void;
  /** Plays of the window that were acknowledged before. */
  due(network: SoakNetwork, fromMs: number, toMs: number, beforeMs: number): readonly string[];
  wasSent(network: SoakNetwork, id: string): boolean;
  all(network: SoakNetwork): { readonly sent: number; readonly acknowledged: ReadonlySet<string> };
  eventsStoredOnce(network: SoakNetwork): number;
  readonly tries: Readonly<Record<string, Readonly<Record<Outcome, number>>>>;
}

const minuteMs = 60_000;

/** What was sent and what became of it, as far as who sent it can know. */
export const openLedger = (): Ledger => {
  const tries: Record<string, Record<Outcome, number>> = {};
  const plays = new Map<number, Map<string, Known>>();
  const minutes = new Map<number, Map<number, Known[]>>();
  const once = new Map<number, number>();
  const of = <T>(all: Map<number, T>, { id }: SoakNetwork, make: () => T): T => {
    const found = all.get(id) ?? make();
    all.set(id, found);
    return found;
  };
  const playsOf = (network: SoakNetwork) => of(plays, network, () => new Map<string, Known>());
  const minutesOf = (network: SoakNetwork) => of(minutes, network, () => new Map<number, Known[]>());
  return {
    tries,
    tried(kind, outcome) {
      (tries[kind] ??= { ok: 0, unknown: 0, fail: 0 })[outcome] += 1;
    },
    sends(network, told) {
      for (const { id, playedAtMs } of told) {
        if (playsOf(network).has(id)) continue;
        const play: Known = { id, playedAtMs };
        playsOf(network).set(id, play);
        const minute = Math.floor(playedAtMs / minuteMs);
        const there = minutesOf(network).get(minute);
        if (there) there.push(play);
        else minutesOf(network).set(minute, [play]);
      }
    },
    acknowledged(network, ids, atMs) {
      for (const id of ids) {
        const play = playsOf(network).get(id);
        if (!play) throw new Error(`${id} was acknowledged and never sent`);
        play.acknowledgedAtMs ??= atMs;
      }
    },
    storedOnce(network, events) {
      once.set(network.id, (once.get(network.id) ?? 0) + events);
    },
    due(network, fromMs, toMs, beforeMs) {
      const found: string[] = [];
      for (let minute = Math.floor(fromMs / minuteMs); minute * minuteMs < toMs; minute += 1)
        for (const { id, playedAtMs, acknowledgedAtMs = Infinity } of minutesOf(network).get(minute) ?? [])
          if (playedAtMs >= fromMs && playedAtMs < toMs && acknowledgedAtMs < beforeMs) found.push(id);
      return found;
    },
    wasSent: (network, id) => playsOf(network).has(id),
    all(network) {
      const known = [...playsOf(network).values()];
      const stored = known.filter(({ acknowledgedAtMs }) => acknowledgedAtMs !== undefined);
      return { sent: known.length, acknowledged: new Set(stored.map(({ id }) => id)) };
    },
    eventsStoredOnce: ({ id }) => once.get(id) ?? 0,
  };
};
