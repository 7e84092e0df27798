import type { IconName } from '../parts/icon.tsx';

/** The rooms of the console, in the order of their keys. */
export const views = [
  { name: 'overview', title: 'Overview', short: 'Home', key: 'o' },
  { name: 'projections', title: 'Projections', short: 'Projections', key: 'p' },
  { name: 'set-aside', title: 'Set aside', short: 'Set aside', key: 's' },
  { name: 'jobs', title: 'Bulk jobs', short: 'Jobs', key: 'j' },
  { name: 'devices', title: 'Devices', short: 'Devices', key: 'd' },
  { name: 'completeness', title: 'Completeness', short: 'Gaps', key: 'c' },
  { name: 'doctor', title: 'Doctor', short: 'Doctor', key: 'x' },
] as const satisfies readonly { name: IconName; title: string; short: string; key: string }[];
