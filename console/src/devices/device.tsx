import { ops, responseData } from '../api/client.ts';
import type { ListedDevice, Outage } from '../api/types.ts';
import { type Column, Table } from '../components/table.tsx';
import { EmptyState, Fact, Loaded, ViewHeader } from '../components/view.tsx';
import { formatCount, formatDuration } from '../format/numbers.ts';
import { Ago, Time } from '../format/time.tsx';
import { useResource } from '../state/resource.ts';
import { hrefTo } from '../state/route.ts';
import { DeviceStatus } from './device-status.tsx';
import { StatusTimeline } from './status-timeline.tsx';

const DeviceFacts = ({ device }: { readonly device: ListedDevice }) => (
  <div class="card">
    <dl class="facts">
      <Fact name="Network">
        <a href={hrefTo('completeness', '', { network: device.network.id })}>{device.network.name}</a>
      </Fact>
      <Fact name="Site" sub={device.site_timezone}>
        {device.site.name}
      </Fact>
      <Fact name="Location">{device.location.name}</Fact>
      <Fact name="Screens">{device.screens.length === 0 ? 'none' : device.screens.join(', ')}</Fact>
      {device.feeders.map(({ id, name, status, last_active_at }) => (
        <div key={id}>
          <dt>Feeder {name}</dt>
          <dd>
            <DeviceStatus status={status} />{' '}
            {last_active_at !== null && (
              <span class="muted">
                last seen <Ago at={last_active_at} />
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  </div>
);

const outageColumns: readonly Column<Outage>[] = [
  {
    label: 'Offline from',
    kind: 'name',
    cell: ({ offline_at, site_timezone }) => <Time at={offline_at} site={site_timezone} />,
  },
  {
    label: 'Until',
    cell: ({ online_at, site_timezone }) =>
      online_at === null ? 'ongoing' : <Time at={online_at} site={site_timezone} />,
  },
  { label: 'Duration', kind: 'number', cell: ({ seconds }) => formatDuration(seconds) },
  { label: 'Backfilled', cell: ({ backfilled }) => (backfilled ? 'shortened by late heartbeats' : '–') },
];

const LastWeek = ({ device: { id: device, site_timezone } }: { readonly device: ListedDevice }) => {
  const week = useResource(
    `week ${device}`,
    async (signal) => {
      const [timeline, { outages }] = await Promise.all([
        responseData(ops.GET('/ops/v1/devices/{id}/timeline', { params: { path: { id: device } }, signal })),
        responseData(ops.GET('/ops/v1/outages', { params: { query: { device, limit: 1_000 } }, signal })),
      ]);
      return { timeline, outages };
    },
    { everyMs: 30_000 },
  );
  return (
    <Loaded resource={week} lines={3}>
      {({ timeline, outages }) => (
        <>
          <section class="card">
            <div class="card-head">
              <h2>The last seven days</h2>
              <span class="muted">{formatCount(outages.length, 'outage')}</span>
            </div>
            <StatusTimeline timeline={timeline} site={site_timezone} />
          </section>
          {outages.length > 0 && (
            <Table caption="Outages" columns={outageColumns} rows={outages} keyOf={({ offline_at }) => offline_at} />
          )}
        </>
      )}
    </Loaded>
  );
};

/**
 * The API has no endpoint that returns one device. The list is ordered by id, so the first device after `id - 1` is the requested one if it
 * exists.
 */
const findDevice = async (id: string, signal: AbortSignal): Promise<ListedDevice | null> => {
  if (!/^\d+$/.test(id)) return null;
  const query = { after: String(Math.max(0, Number(id) - 1)), limit: 1 };
  const { devices } = await responseData(ops.GET('/ops/v1/devices', { params: { query }, signal }));
  return devices.find((device) => String(device.id) === id) ?? null;
};

export const Device = ({ id }: { readonly id: string }) => {
  const resource = useResource(`device ${id}`, async (signal) => ({ device: await findDevice(id, signal) }), {
    everyMs: 10_000,
  });
  const shown = resource.data?.device;
  return (
    <section class="view">
      <ViewHeader
        title={shown?.name ?? `Device ${id}`}
        about={
          shown?.last_active_at ? (
            <>
              Last seen <Ago at={shown.last_active_at} site={shown.site_timezone} />
            </>
          ) : undefined
        }
        back={{ href: hrefTo('devices'), title: 'Devices' }}
      >
        {shown && <DeviceStatus status={shown.status} />}
      </ViewHeader>
      <Loaded resource={resource}>
        {({ device }) =>
          device ? (
            <>
              <DeviceFacts device={device} />
              <LastWeek device={device} />
            </>
          ) : (
            <EmptyState icon="devices" title="The registry has no such device">
              The device may be retired, or the address may be wrong.
            </EmptyState>
          )
        }
      </Loaded>
    </section>
  );
};
