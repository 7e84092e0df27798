import type { Ledger } from './ledger.ts';
import type { SoakNetwork } from './world.ts';

/** What a reader was told of a window. */
export interface Seen {
  readonly network: SoakNetwork;
  readonly fromMs: number;
  readonly toMs: number;
  /** Everything received until then is in it. */
  readonly asOfMs: number;
  readonly rows: readonly { readonly id: string; readonly watcher: string }[];
}

export interface Witness {
  /** What is wrong with it, in words. */
  judge(seen: Seen): readonly string[];
  /** A count that never goes back. */
  count(of: string, value: number): readonly string[];
}

const few = (ids: readonly string[]) => `${ids.length} (${ids.slice(0, 3).join(', ')})`;

/** Remembers what readers saw, and knows what was sent: nothing twice or at odds with itself, nothing missing, gone or of others. */
export const openWitness = (ledger: Ledger): Witness => {
  const seenBefore = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  return {
    judge({ network, fromMs, toMs, asOfMs, rows }) {
      const wrong: string[] = [];
      const keys = new Set(rows.map(({ id, watcher }) => `${id} ${watcher}`));
      const ids = new Set(rows.map(({ id }) => id));
      if (keys.size < rows.length) wrong.push(`${rows.length - keys.size} of ${rows.length} rows came twice`);
      const withNobody = new Set(rows.flatMap(({ id, watcher }) => (watcher === '' ? [id] : [])));
      const both = new Set(rows.flatMap(({ id, watcher }) => (watcher !== '' && withNobody.has(id) ? [id] : [])));
      if (both.size > 0) wrong.push(`${few([...both])} were seen by somebody and by nobody`);
      const strange = [...ids].filter((id) => !ledger.wasSent(network, id));
      if (strange.length > 0) wrong.push(`${few(strange)} were never sent`);
      const missing = ledger.due(network, fromMs, toMs, asOfMs).filter((id) => !ids.has(id));
      if (missing.length > 0) wrong.push(`${few(missing)} are missing as of ${new Date(asOfMs).toISOString()}`);
      const window = `${network.id}/${fromMs}/${toMs}`;
      const before = seenBefore.get(window) ?? new Set();
      const gone = [...before].filter((id) => !ids.has(id));
      if (gone.length > 0) wrong.push(`${few(gone)} of ${before.size} are not there any more`);
      seenBefore.set(window, new Set([...before, ...ids]));
      return wrong;
    },
    count(of, value) {
      const before = counts.get(of) ?? 0;
      counts.set(of, Math.max(before, value));
      return value < before ? [`${of}: ${value} after ${before}`] : [];
    },
  };
};
