import type { SoakNetwork } from './networks.ts';

/** `unknown`: there was no response, or the response asks the client to retry. The request may or may not have been stored. */
export type Outcome = 'ok' | 'unknown' | 'fail';

export interface SentPlay {
  readonly id: string;
  readonly playedAtMs: number;
}

interface LedgerPlay extends SentPlay {
  /**
   * Time at which the service acknowledged the play; undefined until then. A report with a later `X-Data-As-Of` must contain the
   * play.
   */
  acknowledgedAtMs?: number;
}

/** Records which plays the soak test has sent and which of them the service has acknowledged. */
export interface Ledger {
  /** Counts the outcome of one attempt to send a request. */
  countAttempt(kind: string, outcome: Outcome): void;
  /** Adds plays before they are sent for the first time. */
  addPlays(network: SoakNetwork, plays: readonly SentPlay[]): void;
  acknowledge(network: SoakNetwork, ids: Iterable<string>, atMs: number): void;
  /** Adds to the number of events that must be stored exactly once, because their requests have an idempotency key. */
  addStoredOnce(network: SoakNetwork, events: number): void;
  /** Lists the ids of the plays that began in a time window and were acknowledged before `beforeMs`. */
  listDue(network: SoakNetwork, fromMs: number, toMs: number, beforeMs: number): readonly string[];
  wasSent(network: SoakNetwork, id: string): boolean;
  all(network: SoakNetwork): { readonly sent: number; readonly acknowledged: ReadonlySet<string> };
  eventsStoredOnce(network: SoakNetwork): number;
  readonly attempts: Readonly<Record<string, Readonly<Record<Outcome, number>>>>;
}

const minuteMs = 60_000;

export const createLedger = (): Ledger => {
  const attempts: Record<string, Record<Outcome, number>> = {};
  const plays = new Map<number, Map<string, LedgerPlay>>();
  const minutes = new Map<number, Map<number, LedgerPlay[]>>();
  const storedOnce = new Map<number, number>();
  const getOrCreate = <T>(all: Map<number, T>, { id }: SoakNetwork, make: () => T): T => {
    const found = all.get(id) ?? make();
    all.set(id, found);
    return found;
  };
  const playsOf = (network: SoakNetwork) => getOrCreate(plays, network, () => new Map<string, LedgerPlay>());
  const minutesOf = (network: SoakNetwork) => getOrCreate(minutes, network, () => new Map<number, LedgerPlay[]>());
  return {
    attempts,
    countAttempt(kind, outcome) {
      (attempts[kind] ??= { ok: 0, unknown: 0, fail: 0 })[outcome] += 1;
    },
    addPlays(network, sent) {
      for (const { id, playedAtMs } of sent) {
        if (playsOf(network).has(id)) continue;
        const play: LedgerPlay = { id, playedAtMs };
        playsOf(network).set(id, play);
        const minute = Math.floor(playedAtMs / minuteMs);
        const sameMinute = minutesOf(network).get(minute);
        if (sameMinute) sameMinute.push(play);
        else minutesOf(network).set(minute, [play]);
      }
    },
    acknowledge(network, ids, atMs) {
      for (const id of ids) {
        const play = playsOf(network).get(id);
        if (!play) throw new Error(`play ${id} was acknowledged but never sent`);
        play.acknowledgedAtMs ??= atMs;
      }
    },
    addStoredOnce(network, events) {
      storedOnce.set(network.id, (storedOnce.get(network.id) ?? 0) + events);
    },
    listDue(network, fromMs, toMs, beforeMs) {
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
    eventsStoredOnce: ({ id }) => storedOnce.get(id) ?? 0,
  };
};
