import { dataOf, ops } from '../api/ops.ts';
import type { ListedDevice } from '../api/shapes.ts';
import { Answer, Empty } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';
import { ViewHead } from '../parts/view-head.tsx';
import { addressOf } from '../state/place.ts';
import { useAsked } from '../state/use-asked.ts';
import { DeviceFacts } from './device-facts.tsx';
import { Outages } from './outages.tsx';
import { StatusOfDevice } from './status-of-device.tsx';

/** The list is by id, so the first after the number before it is the one, or there is none. */
const find = async (id: string, signal: AbortSignal): Promise<ListedDevice | null> => {
  const query = { after: Math.max(0, Number(id) - 1), limit: 1 };
  const { devices } = await dataOf(ops.GET('/ops/v1/devices', { params: { query }, signal }));
  return devices.find((device) => String(device.id) === id) ?? null;
};

/** One device: what it is, and when it was away in the last seven days. */
export const Device = ({ id }: { readonly id: string }) => {
  const asked = useAsked(`device ${id}`, async (signal) => ({ device: await find(id, signal) }), { everyMs: 10_000 });
  const device = asked.data?.device;
  return (
    <section class="view">
      <ViewHead
        title={device?.name ?? `Device ${id}`}
        about={
          device?.last_active_at ? (
            <>
              Last heard <Ago at={device.last_active_at} />
            </>
          ) : undefined
        }
        back={[addressOf('devices'), 'Devices']}
      >
        {device && <StatusOfDevice status={device.status} />}
      </ViewHead>
      <Answer asked={asked}>
        {({ device: found }) =>
          found ? (
            <>
              <DeviceFacts device={found} />
              <Outages device={found.id} />
            </>
          ) : (
            <Empty icon="devices" title="The registry knows no such device">
              It may have been retired, or the address was mistyped.
            </Empty>
          )
        }
      </Answer>
    </section>
  );
};
