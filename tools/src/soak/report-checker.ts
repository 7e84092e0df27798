import type { Ledger } from './ledger.ts';
import type { SoakNetwork } from './networks.ts';

/** The plays that a report selects. */
export interface ReportWindow {
  readonly network: SoakNetwork;
  readonly fromMs: number;
  readonly toMs: number;
}

interface ReceivedReport {
  /** Value of `X-Data-As-Of`: the report contains everything that the service received before this time. */
  readonly asOfMs: number;
  readonly rows: readonly { readonly id: string; readonly watcher: string }[];
}

/** Returns a description of each defect in a report. */
type CheckReport = (report: ReceivedReport) => readonly string[];

export interface ReportChecker {
  /** To be called before the first request of a report. Returns the function that checks it. */
  beginReport(window: ReportWindow): CheckReport;
  /** Checks that a value has not decreased since the last call with this name. */
  checkNotDecreasing(name: string, value: number): readonly string[];
}

const summarize = (ids: readonly string[]) => `${ids.length} (${ids.slice(0, 3).join(', ')})`;

/**
 * Compares reports with the ledger and with earlier reports. Finds duplicate or contradictory rows, missing and unknown plays,
 * and plays that have disappeared since a report on the same time window that was complete before this one began.
 */
export const createReportChecker = (ledger: Ledger): ReportChecker => {
  const reported = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  return {
    beginReport({ network, fromMs, toMs }) {
      const window = `${network.id}/${fromMs}/${toMs}`;
      const before = reported.get(window) ?? new Set();
      return ({ asOfMs, rows }) => {
        const wrong: string[] = [];
        const keys = new Set(rows.map(({ id, watcher }) => `${id} ${watcher}`));
        const ids = new Set(rows.map(({ id }) => id));
        if (keys.size < rows.length) wrong.push(`${rows.length - keys.size} of ${rows.length} rows are duplicates`);
        const withoutPerson = new Set(rows.flatMap(({ id, watcher }) => (watcher === '' ? [id] : [])));
        const both = new Set(rows.flatMap(({ id, watcher }) => (watcher !== '' && withoutPerson.has(id) ? [id] : [])));
        if (both.size > 0) wrong.push(`${summarize([...both])} have rows with and without a person`);
        const unknown = [...ids].filter((id) => !ledger.wasSent(network, id));
        if (unknown.length > 0) wrong.push(`${summarize(unknown)} were never sent`);
        const missing = ledger.listDue(network, fromMs, toMs, asOfMs).filter((id) => !ids.has(id));
        if (missing.length > 0) wrong.push(`${summarize(missing)} are missing as of ${new Date(asOfMs).toISOString()}`);
        const disappeared = [...before].filter((id) => !ids.has(id));
        if (disappeared.length > 0) wrong.push(`${summarize(disappeared)} of ${before.size} have disappeared`);
        reported.set(window, new Set([...(reported.get(window) ?? []), ...ids]));
        return wrong;
      };
    },
    checkNotDecreasing(name, value) {
      const before = counts.get(name) ?? 0;
      counts.set(name, Math.max(before, value));
      return value < before ? [`${name}: ${value} after ${before}`] : [];
    },
  };
};
