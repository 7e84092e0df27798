import type { ListedJob } from '../api/shapes.ts';
import { Badge, type Tone } from '../parts/badge.tsx';

export const wordsOfJob: Readonly<Record<ListedJob['status'], string>> = {
  queued: 'queued',
  processing: 'processing',
  completed: 'completed',
  partially_completed: 'partly completed',
  failed: 'failed',
};

const tones: Readonly<Record<ListedJob['status'], Tone>> = {
  queued: 'quiet',
  processing: 'busy',
  completed: 'good',
  partially_completed: 'warn',
  failed: 'bad',
};

export const toneOfJob = (status: ListedJob['status']): 'good' | 'bad' | undefined =>
  status === 'failed' ? 'bad' : status === 'completed' ? 'good' : undefined;

export const StatusOfJob = ({ status }: { readonly status: ListedJob['status'] }) => (
  <Badge tone={tones[status]} text={wordsOfJob[status]} />
);
