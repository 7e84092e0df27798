import { dataOf, ops } from '../api/ops.ts';
import type { Outage } from '../api/shapes.ts';
import { counted, durationText } from '../parts/numbers.ts';
import { Answer } from '../parts/states.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { now } from '../state/clock.ts';
import { useAsked } from '../state/use-asked.ts';
import { Timeline } from './timeline.tsx';

const weekMs = 7 * 86_400_000;

const columns: readonly Column<Outage>[] = [
  { label: 'Offline from', kind: 'name', cell: ({ offline_at }) => <Time at={offline_at} /> },
  { label: 'Until', cell: ({ online_at }) => (online_at === null ? 'it lasts' : <Time at={online_at} />) },
  { label: 'How long', kind: 'number', cell: ({ seconds }) => durationText(seconds) },
  { label: 'Backfilled', cell: ({ backfilled }) => (backfilled ? 'shortened by heartbeats told later' : '–') },
];

/** When it was away in the last seven days: as a band, and as a list. */
export const Outages = ({ device }: { readonly device: number }) => {
  const asked = useAsked(
    `outages ${device}`,
    (signal) => dataOf(ops.GET('/ops/v1/outages', { params: { query: { device, limit: 1_000 } }, signal })),
    { everyMs: 30_000 },
  );
  return (
    <Answer asked={asked} lines={3}>
      {({ outages }) => (
        <>
          <section class="card">
            <div class="card-head">
              <h2>The last seven days</h2>
              <span class="muted">{counted(outages.length, 'outage')}</span>
            </div>
            <Timeline outages={outages} from={now.value - weekMs} to={now.value} />
          </section>
          {outages.length > 0 && (
            <Table caption="Outages" columns={columns} rows={outages} keyOf={({ offline_at }) => offline_at} />
          )}
        </>
      )}
    </Answer>
  );
};
