import { useState } from 'preact/hooks';
import { errorMessage, ops, responseData } from '../api/client.ts';
import type { Outage } from '../api/types.ts';
import { Button, Checkbox, NetworkSelect, Select } from '../components/controls.tsx';
import { type Column, Table } from '../components/table.tsx';
import { EmptyState, Loaded, TwoLines, ViewHeader } from '../components/view.tsx';
import { formatCount, formatDuration, formatWhole } from '../format/numbers.ts';
import { nowMs, Time } from '../format/time.tsx';
import { overview } from '../state/live-state.ts';
import { useResource } from '../state/resource.ts';
import { hrefTo, route, updateFilters } from '../state/route.ts';
import { downloadOutages, type OutageFilters, toOutagesQuery } from './outages-csv.ts';

const spans = [
  ['1', 'Last 24 hours'],
  ['7', 'Last 7 days'],
  ['31', 'Last 31 days'],
] as const;
const hourMs = 3_600_000;

/** `from` is rounded down to the hour, because the list is loaded again whenever `from` changes. */
const filtersOf = (query: URLSearchParams, now: number): OutageFilters & { readonly span: string } => {
  const span = spans.find(([each]) => each === query.get('span'))?.[0] ?? '7';
  const from = new Date(Math.floor(now / hourMs) * hourMs - Number(span) * 24 * hourMs).toISOString();
  const [network, site] = [query.get('network') ?? '', query.get('site') ?? ''];
  return { network, site, from, isOpen: query.get('open') === 'true', span };
};

const columns: readonly Column<Outage>[] = [
  {
    label: 'Device or feeder',
    kind: 'name',
    cell: ({ kind, id, name, device_id }) => (
      <TwoLines sub={`${kind} ${id}`}>
        <a href={hrefTo('devices', device_id)}>{name || id}</a>
      </TwoLines>
    ),
  },
  { label: 'Site', cell: ({ site_name }) => site_name || '–' },
  { label: 'Offline from', cell: ({ offline_at, site_timezone }) => <Time at={offline_at} site={site_timezone} /> },
  {
    label: 'Until',
    cell: ({ online_at, site_timezone }) =>
      online_at === null ? 'ongoing' : <Time at={online_at} site={site_timezone} />,
  },
  { label: 'Duration', kind: 'number', cell: ({ seconds }) => formatDuration(seconds) },
];

interface SiteOutages {
  readonly id: number;
  readonly name: string;
  readonly outages: number;
  readonly ongoing: number;
  readonly seconds: number;
}

const groupBySite = (outages: readonly Outage[]): readonly SiteOutages[] => {
  const sites = new Map<number, SiteOutages>();
  for (const { site_id: id, site_name: name, online_at, seconds } of outages) {
    const site = sites.get(id) ?? { id, name, outages: 0, ongoing: 0, seconds: 0 };
    const ongoing = site.ongoing + (online_at === null ? 1 : 0);
    sites.set(id, { ...site, outages: site.outages + 1, ongoing, seconds: site.seconds + seconds });
  }
  return [...sites.values()].sort((one, other) => other.seconds - one.seconds);
};

const siteColumns: readonly Column<SiteOutages>[] = [
  {
    label: 'Site',
    kind: 'name',
    cell: ({ id, name }) =>
      id === 0 ? (
        'unknown'
      ) : (
        <a href={hrefTo('outages', '', { ...Object.fromEntries(route.value.query), site: id })}>{name || id}</a>
      ),
  },
  { label: 'Outages', kind: 'number', cell: ({ outages }) => formatWhole(outages) },
  { label: 'Ongoing', kind: 'number', cell: ({ ongoing }) => formatWhole(ongoing) },
  { label: 'Sum of durations', kind: 'number', cell: ({ seconds }) => formatDuration(seconds) },
];

const Download = ({ filters }: { readonly filters: OutageFilters }) => {
  const [failure, setFailure] = useState('');
  const download = () => {
    setFailure('');
    downloadOutages(filters).catch((error: unknown) => setFailure(errorMessage(error)));
  };
  return (
    <>
      <Button onClick={download}>Download CSV</Button>
      {failure !== '' && <span role="alert">{failure}</span>}
    </>
  );
};

export const Outages = () => {
  const { span, ...filters } = filtersOf(route.value.query, nowMs.value);
  const page = useResource(
    `outages ${JSON.stringify(filters)}`,
    (signal) => responseData(ops.GET('/ops/v1/outages', { params: { query: toOutagesQuery(filters) }, signal })),
    { everyMs: 30_000 },
  );
  const counts = overview.value?.counts;
  const isUnseen = typeof counts?.devices === 'number' && counts.devices === counts.never_seen;
  return (
    <section class="view">
      <ViewHeader
        title="Outages"
        about="When devices and feeders were offline. Late heartbeats shorten, split or remove outages."
      />
      <div class="filters">
        <NetworkSelect value={filters.network} onSelect={(network) => updateFilters({ network, site: '' })} />
        <Select label="Period" value={span} options={spans} onSelect={(value) => updateFilters({ span: value })} />
        <Checkbox
          label="Only ongoing"
          isChecked={filters.isOpen}
          onToggle={(isOpen) => updateFilters({ open: isOpen ? 'true' : '' })}
        />
        {filters.site !== '' && <Button onClick={() => updateFilters({ site: '' })}>All sites</Button>}
        <Download filters={filters} />
      </div>
      <Loaded resource={page} lines={12}>
        {({ outages, next_after }) =>
          outages.length === 0 ? (
            <EmptyState icon="outages" title="No outages">
              {isUnseen
                ? 'No device has sent a heartbeat yet. Outages are known from the first heartbeat on.'
                : 'No device or feeder that matches the filters was offline.'}
            </EmptyState>
          ) : (
            <>
              {filters.site === '' && next_after === null && (
                <Table
                  caption="Outages by site"
                  columns={siteColumns}
                  rows={groupBySite(outages)}
                  keyOf={({ id }) => id}
                />
              )}
              <Table
                caption="Outages"
                columns={columns}
                rows={outages}
                keyOf={({ kind, id, offline_at }) => `${kind} ${id} ${offline_at}`}
              />
              <p class="more">
                {formatCount(outages.length, 'outage')}
                {next_after !== null &&
                  '; there are older ones: for sums by site, choose a shorter window or one network, or download all'}
              </p>
            </>
          )
        }
      </Loaded>
    </section>
  );
};
