import type { ListedDevice } from '../api/types.ts';
import { Badge, type Tone } from '../components/indicators.tsx';

type Status = ListedDevice['status'];

const statuses: Readonly<Record<Status, readonly [label: string, tone: Tone]>> = {
  online: ['online', 'good'],
  offline: ['offline', 'bad'],
  never: ['never seen', 'quiet'],
};

export const deviceStatusOptions = Object.entries(statuses).map(([status, [label]]) => [status, label] as const);

export const DeviceStatus = ({ status }: { readonly status: Status }) => {
  const [label, tone] = statuses[status];
  return <Badge tone={tone} text={label} />;
};
