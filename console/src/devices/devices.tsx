import { useEffect, useState } from 'preact/hooks';
import { ops, responseData } from '../api/client.ts';
import type { DevicePage, ListedDevice } from '../api/types.ts';
import { Button, NetworkSelect, SearchField, Select } from '../components/controls.tsx';
import { type Column, Table } from '../components/table.tsx';
import { EmptyState, Loaded, TwoLines, ViewHeader } from '../components/view.tsx';
import { formatCount, formatWhole } from '../format/numbers.ts';
import { Ago } from '../format/time.tsx';
import { type Resource, useResource } from '../state/resource.ts';
import { hrefTo, route, updateFilters } from '../state/route.ts';
import { DeviceStatus, deviceStatusOptions } from './device-status.tsx';

interface DeviceFilters {
  readonly network: string;
  readonly status: string;
  readonly search: string;
}

interface DeviceList {
  readonly page: Resource<DevicePage>;
  /** Whether the rows shown still belong to the previous filters. */
  readonly isOutdated: boolean;
  readonly showMore: (() => void) | undefined;
}

const firstLimit = 100;
/** The largest `limit` that the server accepts. */
const maxLimit = 1_000;

/** Each reload requests the whole list up to the limit, so that all rows reflect the same moment. */
const useDeviceList = ({ network, status, search }: DeviceFilters): DeviceList => {
  const filterKey = `${network} ${status} ${search}`;
  const [limit, setLimit] = useState(firstLimit);
  const [loadedKey, setLoadedKey] = useState(filterKey);
  useEffect(() => setLimit(firstLimit), [filterKey]);
  const page = useResource(
    `devices ${filterKey} ${limit}`,
    async (signal) => {
      const query = {
        limit,
        ...(network !== '' && { network: Number(network) }),
        ...(status !== '' && { status: status as ListedDevice['status'] }),
        ...(search !== '' && { search }),
      };
      const loaded = await responseData(ops.GET('/ops/v1/devices', { params: { query }, signal }));
      setLoadedKey(filterKey);
      return loaded;
    },
    { everyMs: 10_000 },
  );
  const hasMore = page.data !== undefined && page.data.next_after !== null && limit < maxLimit;
  // The limits are 100, 500 and 1,000.
  const nextLimit = Math.min(maxLimit, limit + (limit === firstLimit ? 4 : 5) * firstLimit);
  return { page, isOutdated: loadedKey !== filterKey, showMore: hasMore ? () => setLimit(nextLimit) : undefined };
};

const feedersText = (feeders: ListedDevice['feeders']): string => {
  const online = feeders.filter(({ status }) => status === 'online').length;
  return feeders.length === 0 ? '–' : `${online} of ${feeders.length} online`;
};

const columns: readonly Column<ListedDevice>[] = [
  {
    label: 'Device',
    kind: 'name',
    cell: ({ id, name, screens }) => (
      <TwoLines sub={screens.length === 0 ? id : `${id} · ${screens.join(', ')}`}>
        <a href={hrefTo('devices', id)}>{name}</a>
      </TwoLines>
    ),
  },
  { label: 'Status', cell: ({ status }) => <DeviceStatus status={status} /> },
  {
    label: 'Last seen',
    cell: ({ last_active_at, site_timezone }) => <Ago at={last_active_at} site={site_timezone} />,
  },
  {
    label: 'Offline since',
    cell: ({ offline_since, site_timezone }) => <Ago at={offline_since} site={site_timezone} />,
  },
  {
    label: 'Location',
    cell: ({ site, location }) => <TwoLines sub={location.name}>{site.name}</TwoLines>,
  },
  { label: 'Network', cell: ({ network }) => network.name },
  { label: 'Feeders', kind: 'number', cell: ({ feeders }) => feedersText(feeders) },
];

const NoDevices = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyState icon="devices" title="No matching devices">
      The search covers names, ids and screens. Try fewer letters, or another status.
    </EmptyState>
  ) : (
    <EmptyState icon="devices" title="No devices yet">
      The registry contains the devices: <code>npx popsvc registry apply FILE</code>.
    </EmptyState>
  );

export const Devices = () => {
  const { query } = route.value;
  const [network = '', status = '', search = ''] = ['network', 'status', 'search'].map((name) => query.get(name) ?? '');
  const { page, isOutdated, showMore } = useDeviceList({ network, status, search });
  return (
    <section class="view">
      <ViewHeader title="Devices" about={page.data && formatCount(page.data.total, 'device')} />
      <div class="filters" role="search">
        <SearchField
          value={search}
          placeholder="Name, id or screen"
          onSearch={(value) => updateFilters({ search: value })}
        />
        <NetworkSelect value={network} onSelect={(value) => updateFilters({ network: value })} />
        <Select
          label="Status"
          value={status}
          options={[['', 'All'], ...deviceStatusOptions]}
          onSelect={(value) => updateFilters({ status: value })}
        />
      </div>
      <Loaded resource={page} lines={12}>
        {({ total, devices }) =>
          devices.length === 0 ? (
            <NoDevices isFiltered={[network, status, search].some((value) => value !== '')} />
          ) : (
            <>
              <Table
                caption="Devices"
                columns={columns}
                rows={devices}
                keyOf={({ id }) => id}
                isBusy={page.isLoading && isOutdated}
              />
              <p class="more">
                {formatWhole(devices.length)} of {formatWhole(total)}
                {showMore ? (
                  <Button onClick={showMore}>Show more</Button>
                ) : (
                  devices.length < total && (
                    <span>
                      The list shows at most {formatWhole(maxLimit)} devices. Search, or select a network or a status,
                      to see the others.
                    </span>
                  )
                )}
              </p>
            </>
          )
        }
      </Loaded>
    </section>
  );
};
