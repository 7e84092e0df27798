import { addDerivedRows, type Postgres, readDerivedRows } from '@popsvc/platform/postgres';
import { type Clock, systemClock } from '@popsvc/platform/runtime';

/** Counts the rows that live generations derive for each network, and limits them to a number a UTC day. */
export interface RowBudget {
  /** True if the network has derived its rows of today. Its derivation then waits until tomorrow. */
  isExhausted(network: number): boolean;
  /** Lists the networks that have derived their rows of today. */
  exhausted(): readonly number[];
  add(rows: ReadonlyMap<number, number>): void;
  /** Stores the counts in PostgreSQL, at most once a second unless a network has just exhausted its budget. */
  store(): Promise<void>;
}

const storeEveryMs = 1_000;
const dayMs = 86_400_000;

/** Creates the budget of a process, with the counts of today that are stored in PostgreSQL. */
export const openRowBudget = async (
  postgres: Postgres,
  rowsPerDay: number,
  clock: Clock = systemClock,
): Promise<RowBudget> => {
  const dayOf = () => Math.floor(clock.now() / dayMs);
  let day = dayOf();
  let total = await readDerivedRows(postgres, day * dayMs);
  let added = new Map<number, number>();
  let storedAtMs = -Infinity;
  let isUrgent = false;
  const totalOf = (network: number) => (total.get(network) ?? 0) + (added.get(network) ?? 0);
  const startDay = () => {
    if (dayOf() === day) return;
    day = dayOf();
    total = new Map();
    added = new Map();
  };
  return {
    isExhausted(network) {
      startDay();
      return totalOf(network) >= rowsPerDay;
    },
    exhausted() {
      startDay();
      return [...new Set([...total.keys(), ...added.keys()])].filter((network) => totalOf(network) >= rowsPerDay);
    },
    add(rows) {
      startDay();
      for (const [network, count] of rows) {
        const before = totalOf(network);
        added.set(network, (added.get(network) ?? 0) + count);
        isUrgent ||= before < rowsPerDay && before + count >= rowsPerDay;
      }
    },
    async store() {
      if (added.size === 0 || (!isUrgent && clock.now() - storedAtMs < storeEveryMs)) return;
      const storing = added;
      added = new Map();
      isUrgent = false;
      storedAtMs = clock.now();
      total = new Map([
        ...total,
        ...(await addDerivedRows(postgres, { dayMs: day * dayMs, rows: storing, rowsPerDay })),
      ]);
    },
  };
};
