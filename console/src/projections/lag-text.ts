import type { Projection } from '../api/shapes.ts';
import { counted, durationText } from '../parts/numbers.ts';

export const lagText = ({ lag_events, lag_seconds }: Projection): string => {
  if (lag_events === null) return 'unknown';
  if (lag_events === 0) return 'none';
  const age = lag_seconds === null ? '' : `, ${durationText(lag_seconds)}`;
  return `${counted(lag_events, 'event')}${age}`;
};
