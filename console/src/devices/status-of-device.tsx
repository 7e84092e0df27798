import type { ListedDevice } from '../api/shapes.ts';
import { Badge, type Tone } from '../parts/badge.tsx';

const tones: Readonly<Record<ListedDevice['status'], Tone>> = { online: 'good', offline: 'bad', never: 'quiet' };
const words: Readonly<Record<ListedDevice['status'], string>> = {
  online: 'online',
  offline: 'offline',
  never: 'never heard',
};

export const StatusOfDevice = ({ status }: { readonly status: ListedDevice['status'] }) => (
  <Badge tone={tones[status]} text={words[status]} />
);
