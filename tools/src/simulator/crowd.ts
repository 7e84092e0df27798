import { toLocalTime } from '@popsvc/domain/business-hours';
import type { SimDevice } from './sim-device.ts';

const spreadHours = 1.6;
const floor = 0.12;

const distance = (hour: number, peak: number): number => {
  const apart = Math.abs(hour - peak);
  return Math.min(apart, 24 - apart);
};

/** How many people come by a device in the hour that begins at an instant, on average: most at the peaks of its kind of site. */
export const crowdAt = ({ kind, timezone, share }: SimDevice, hour: number): number => {
  const { hour: local, weekday } = toLocalTime(hour, timezone);
  const nearest = Math.min(...kind.peaks.map((peak) => distance(local, peak)));
  const busy = floor + (1 - floor) * Math.exp(-((nearest / spreadHours) ** 2) / 2);
  return kind.peakAnHour * share * busy * (weekday >= 6 ? kind.weekend : 1);
};
