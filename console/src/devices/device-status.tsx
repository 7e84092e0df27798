import type { ListedDevice } from '../api/types.ts';
import { Badge, type Tone } from '../components/indicators.tsx';

type Status = ListedDevice['status'];

const statuses: Readonly<Record<Status, readonly [label: string, tone: Tone]>> = {
  online: ['online', 'good'],
  offline: ['offline', 'bad'],
  never: ['never seen', 'quiet'],
};

/** The options of the status filter. */
export const deviceStatusOptions = Object.entries(statuses).map(([status, [label]]) => [status, label] as const);

/** Shows the status of a device or feeder. */
export const DeviceStatus = ({ status }: { readonly status: Status }) => {
  const [label, tone] = statuses[status];
  return <Badge tone={tone} text={label} />;
};
