import type { ListedJob } from '../api/types.ts';
import { Badge, type Tone } from '../components/indicators.tsx';

type Status = ListedJob['status'];

const statuses: Readonly<Record<Status, readonly [label: string, tone: Tone]>> = {
  queued: ['queued', 'quiet'],
  processing: ['processing', 'busy'],
  completed: ['completed', 'good'],
  partially_completed: ['partly completed', 'warn'],
  failed: ['failed', 'bad'],
};

export const jobStatusOptions = Object.entries(statuses).map(([status, [label]]) => [status, label] as const);

export const progressTone = (status: Status): 'good' | 'bad' | undefined =>
  status === 'failed' ? 'bad' : status === 'completed' ? 'good' : undefined;

export const JobStatus = ({ status }: { readonly status: Status }) => {
  const [label, tone] = statuses[status];
  return <Badge tone={tone} text={label} />;
};
