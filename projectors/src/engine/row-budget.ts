import { addDerivedRows, type Postgres, readDerivedRows } from '@popsvc/platform/postgres';
import { type Clock, systemClock } from '@popsvc/platform/runtime';

/** Limits the rows that live generations derive for each network in a UTC day. */
export interface RowBudget {
  /** Derivation of an exhausted network waits until the next day. */
  isExhausted(network: number): boolean;
  exhausted(): readonly number[];
  add(rows: ReadonlyMap<number, number>): void;
  /** Writes to PostgreSQL at most once a second, or at once when a network has used up its budget. */
  store(): Promise<void>;
}

const storeEveryMs = 1_000;
const dayMs = 86_400_000;

interface RowBudgetOptions {
  /** Number of shards of the installation whose rows are counted; default 1. */
  readonly shards?: number;
  readonly clock?: Clock;
}

export const openRowBudget = async (
  postgres: Postgres,
  rowsPerDay: number,
  { shards = 1, clock = systemClock }: RowBudgetOptions = {},
): Promise<RowBudget> => {
  const dayOf = () => Math.floor(clock.now() / dayMs);
  let day = dayOf();
  let total = await readDerivedRows(postgres, { shards, dayMs: day * dayMs });
  let added = new Map<number, number>();
  let storing = new Map<number, number>();
  let storedAtMs = -Infinity;
  let isUrgent = false;
  const counts = () => [total, storing, added];
  const totalOf = (network: number) => counts().reduce((sum, count) => sum + (count.get(network) ?? 0), 0);
  const startDay = () => {
    if (dayOf() === day) return;
    day = dayOf();
    total = new Map();
    storing = new Map();
    added = new Map();
  };
  const add = (rows: ReadonlyMap<number, number>) => {
    for (const [network, count] of rows) added.set(network, (added.get(network) ?? 0) + count);
  };
  return {
    isExhausted(network) {
      startDay();
      return totalOf(network) >= rowsPerDay;
    },
    exhausted() {
      startDay();
      return [...new Set(counts().flatMap((count) => [...count.keys()]))].filter(
        (network) => totalOf(network) >= rowsPerDay,
      );
    },
    add(rows) {
      startDay();
      const before = new Map([...rows.keys()].map((network) => [network, totalOf(network)]));
      add(rows);
      isUrgent ||= [...before].some(
        ([network, rowsBefore]) => rowsBefore < rowsPerDay && totalOf(network) >= rowsPerDay,
      );
    },
    async store() {
      startDay();
      if (storing.size > 0 || added.size === 0 || (!isUrgent && clock.now() - storedAtMs < storeEveryMs)) return;
      const rows = added;
      storing = rows;
      added = new Map();
      isUrgent = false;
      storedAtMs = clock.now();
      // A new day discards `storing`, because counts of the day before no longer apply.
      const isSameDay = () => storing === rows;
      try {
        const stored = await addDerivedRows(postgres, { shards, dayMs: day * dayMs, rows, rowsPerDay });
        if (isSameDay()) total = new Map([...total, ...stored]);
      } catch (error) {
        if (isSameDay()) add(rows);
        throw error;
      } finally {
        if (isSameDay()) storing = new Map();
      }
    },
  };
};
