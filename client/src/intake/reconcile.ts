import { type Api, dataOf } from '../http/api.ts';
import { formatInstant, type Instant } from '../reports/options.ts';
import type { paths as CommandPaths } from '../generated/command-api.ts';
import type { CountReconciliation, EventReconciliation, ReconcileItems } from '../types.ts';

/** A time window of at most 31 days. To compare counts, it must begin and end at full UTC hours. */
interface ReconcileWindow {
  /** Start, inclusive. */
  readonly from: Instant;
  /** End, exclusive. */
  readonly to: Instant;
  readonly signal?: AbortSignal | undefined;
}

export interface ReconcileEvents extends ReconcileWindow {
  /** All plays that begin in the window, at most 10,000. The content of a play is compared, too, if it has a `contentHash`. */
  readonly events: ReconcileItems['events'];
  readonly counts?: undefined;
}

export interface ReconcileCounts extends ReconcileWindow {
  /** One count for each screen and UTC hour, at most 30,000. A screen without a count for an hour has no plays in that hour. */
  readonly counts: ReconcileItems['counts'];
  readonly events?: undefined;
}

/** Compares a vendor's plays of a time window with the stored ones. */
export interface ReconcilePlays {
  (options: ReconcileEvents): Promise<EventReconciliation>;
  (options: ReconcileCounts): Promise<CountReconciliation>;
}

export const createReconcile = (api: () => Api<CommandPaths>): { readonly reconcile: ReconcilePlays } => {
  const compare = async ({ from, to, events, counts, signal }: ReconcileEvents | ReconcileCounts) => {
    const body = { from: formatInstant(from), to: formatInstant(to), ...(events ? { events } : { counts }) };
    const response = await api().POST('/popsvc/v1/pop/reconcile', {
      body: body as ReconcileItems['body'],
      ...(signal && { signal }),
    });
    return dataOf(response).data;
  };
  // The service answers events with an EventReconciliation, and counts with a CountReconciliation.
  return { reconcile: compare as ReconcilePlays };
};
