import type { ListedDevice } from '../api/shapes.ts';
import { Button } from '../parts/button.tsx';
import { Select } from '../parts/field.tsx';
import { counted, wholeText } from '../parts/numbers.ts';
import { Answer, Empty } from '../parts/states.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Ago } from '../parts/time.tsx';
import { ViewHead } from '../parts/view-head.tsx';
import { addressOf, place, refine } from '../state/place.ts';
import { NetworkSelect } from '../parts/network-select.tsx';
import { Search } from './search.tsx';
import { StatusOfDevice } from './status-of-device.tsx';
import { useDevices } from './use-devices.ts';

const columns: readonly Column<ListedDevice>[] = [
  {
    label: 'Device',
    kind: 'name',
    cell: ({ id, name, screens }) => (
      <span>
        <a href={addressOf('devices', id)}>{name}</a>
        <span class="sub">
          {id}
          {screens.length > 0 && ` · ${screens.join(', ')}`}
        </span>
      </span>
    ),
  },
  { label: 'Status', cell: ({ status }) => <StatusOfDevice status={status} /> },
  {
    label: 'Last heard',
    cell: ({ last_active_at }) => (last_active_at === null ? '–' : <Ago at={last_active_at} />),
  },
  { label: 'Offline since', cell: ({ offline_since }) => (offline_since === null ? '–' : <Ago at={offline_since} />) },
  {
    label: 'Place',
    cell: ({ site, location }) => (
      <span>
        {site.name}
        <span class="sub">{location.name}</span>
      </span>
    ),
  },
  { label: 'Network', cell: ({ network }) => network.name },
  { label: 'Feeders', kind: 'number', cell: ({ feeders }) => feedersText(feeders) },
];

const feedersText = (feeders: ListedDevice['feeders']): string => {
  const online = feeders.filter(({ status }) => status === 'online').length;
  return feeders.length === 0 ? '–' : `${online} of ${feeders.length} online`;
};

const statuses = [
  ['', 'All'],
  ['online', 'Online'],
  ['offline', 'Offline'],
  ['never', 'Never heard'],
] as const;

/** Every device, what it is doing, and where it hangs. */
export const Devices = () => {
  const { query } = place.value;
  const [network, status, search] = ['network', 'status', 'search'].map((name) => query.get(name) ?? '');
  const devices = useDevices({ network: network!, status: status!, search: search! });
  const isFiltered = [network, status, search].some((value) => value !== '');
  return (
    <section class="view">
      <ViewHead title="Devices" about={devices.asked.data && counted(devices.asked.data.total, 'device')} />
      <div class="filters" role="search">
        <Search value={search!} choose={(value) => refine({ search: value })} />
        <NetworkSelect value={network!} choose={(value) => refine({ network: value })} />
        <Select label="Status" value={status!} options={statuses} choose={(value) => refine({ status: value })} />
      </div>
      <Answer asked={devices.asked} lines={12}>
        {({ total }) =>
          devices.rows.length === 0 ? (
            <Empty icon="devices" title={isFiltered ? 'No device fits' : 'No devices yet'}>
              {isFiltered
                ? 'Search looks at names, ids and screens. Try fewer letters, or another status.'
                : 'Devices come with the registry: npx popsvc registry apply FILE.'}
            </Empty>
          ) : (
            <>
              <Table
                caption="Devices"
                columns={columns}
                rows={devices.rows}
                keyOf={({ id }) => id}
                isBusy={devices.asked.isLoading && devices.isOther}
              />
              <p class="more">
                {wholeText(devices.rows.length)} of {wholeText(total)}
                {devices.more ? (
                  <Button onClick={devices.more}>Show more</Button>
                ) : (
                  devices.rows.length < total && (
                    <span>A page holds no more. Search, or choose a network or a status, to see the others.</span>
                  )
                )}
              </p>
            </>
          )
        }
      </Answer>
    </section>
  );
};
