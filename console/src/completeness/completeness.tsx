import { useEffect, useState } from 'preact/hooks';
import { ops, responseData } from '../api/client.ts';
import type { CompletenessPage } from '../api/types.ts';
import { Button, NetworkSelect, Select, useNetworks } from '../components/controls.tsx';
import { EmptyState, Loaded, ViewHeader } from '../components/view.tsx';
import { formatCount, formatPercent, formatWhole } from '../format/numbers.ts';
import { nowMs } from '../format/time.tsx';
import { dayEndOf, shownZone, type SiteZone } from '../format/time-zone.ts';
import { type Resource, useResource } from '../state/resource.ts';
import { route, updateFilters } from '../state/route.ts';
import { cellKinds, Cells } from './cells.tsx';
import { HoursMap } from './hours-map.tsx';
import { hourMs } from './hours-strip.tsx';

const spans = [
  ['48', 'Last 48 hours'],
  ['168', 'Last 7 days'],
  ['336', 'Last 14 days'],
  ['744', 'Last 31 days'],
] as const;

interface HoursWindow {
  readonly from: string;
  readonly to: string;
}

/**
 * The window ends with the `day` (`YYYY-MM-DD`) in `zone`, but not after the current hour. Without a day, it ends with the current hour.
 */
const windowOf = (span: string, day: string, now: number, zone: string): HoursWindow => {
  const hours = spans.find(([each]) => each === span)?.[0] ?? '48';
  const end = Math.min(dayEndOf(day, zone) ?? now, now);
  const to = Math.ceil(end / hourMs) * hourMs;
  return { from: new Date(to - Number(hours) * hourMs).toISOString(), to: new Date(to).toISOString() };
};

const firstLimit = 100;
/** The largest `limit` that the server accepts. */
const maxLimit = 1_000;

/** While `network` is empty, the result stays in the loading state. */
const useHours = (network: string, { from, to }: HoursWindow, limit: number): Resource<CompletenessPage> =>
  useResource(
    `hours ${network} ${from} ${to} ${limit}`,
    (signal) =>
      network === ''
        ? new Promise<never>(() => undefined)
        : responseData(
            ops.GET('/ops/v1/completeness', {
              params: { query: { network: Number(network), from, to, limit } },
              signal,
            }),
          ),
    { everyMs: 60_000 },
  );

const Legend = ({ totals }: { readonly totals: CompletenessPage['totals'] | undefined }) => (
  <ul class="legend">
    {cellKinds.map(({ letter, name, label, about }) => (
      <li key={letter} title={about}>
        <Cells cells={letter} />
        <span>
          {label} {totals && <b title="Hours">{formatWhole(totals[name])}</b>}
        </span>
      </li>
    ))}
  </ul>
);

const Summary = ({
  page: { expected_hours: expected, played_hours: played, other_played_hours: others },
}: {
  readonly page: CompletenessPage;
}) => (
  <>
    {expected === 0 ? (
      'No opening hours since the registration of the screens.'
    ) : (
      <>
        Plays in <b>{formatPercent(played / expected)}</b> of the {formatCount(expected, 'opening hour')} since the
        registration of the screens.
      </>
    )}
    {others > 0 && ` Also plays in ${formatCount(others, 'hour')} before it or when the site was closed.`}
  </>
);

interface HoursProps {
  readonly page: CompletenessPage;
  readonly site: SiteZone;
  readonly showMore: (() => void) | undefined;
}

const Hours = ({ page: { screens, from, hours }, site, showMore }: HoursProps) =>
  screens.length === 0 ? (
    <EmptyState icon="completeness" title="This network has no screens">
      The devices of the registry list their screens.
    </EmptyState>
  ) : (
    <>
      <HoursMap screens={screens} fromMs={Date.parse(from)} hours={hours} site={site} />
      {showMore && (
        <p class="more">
          <Button onClick={showMore}>Show more screens</Button>
        </p>
      )}
    </>
  );

export const Completeness = () => {
  const { query } = route.value;
  const networks = useNetworks();
  const network = query.get('network') ?? String(networks[0]?.id ?? '');
  const site = networks.find(({ id }) => String(id) === network)?.timezone;
  const span = query.get('span') ?? '48';
  const day = query.get('day') ?? '';
  const [limit, setLimit] = useState(firstLimit);
  useEffect(() => setLimit(firstLimit), [network, span, day]);
  const hours = useHours(network, windowOf(span, day, nowMs.value, shownZone(site)), limit);
  const showMore = () => setLimit(Math.min(maxLimit, limit + 4 * firstLimit));
  return (
    <section class="view">
      <ViewHeader
        title="Completeness"
        about={hours.data ? <Summary page={hours.data} /> : 'The state of each screen in each hour.'}
      />
      <div class="filters">
        <NetworkSelect value={network} onSelect={(value) => updateFilters({ network: value })} hasAll={false} />
        <Select label="Hours" value={span} options={spans} onSelect={(value) => updateFilters({ span: value })} />
        <div class="field">
          <label for="day">Up to the end of</label>
          <input
            id="day"
            type="date"
            value={day}
            onChange={({ currentTarget }) => updateFilters({ day: currentTarget.value })}
          />
        </div>
        {day !== '' && <Button onClick={() => updateFilters({ day: '' })}>Up to now</Button>}
      </div>
      <Legend totals={hours.data?.totals} />
      {network === '' ? (
        <EmptyState icon="completeness" title="No networks yet">
          The registry contains the networks: <code>npx popsvc registry apply FILE</code>.
        </EmptyState>
      ) : (
        <Loaded resource={hours} lines={12}>
          {(page) => (
            <Hours
              page={page}
              site={site}
              showMore={page.next_after !== null && limit < maxLimit ? showMore : undefined}
            />
          )}
        </Loaded>
      )}
    </section>
  );
};
