import { type BusinessHours, DAYS } from '@popsvc/contracts/registry';

/** What a kind of place is like. */
export interface SiteKind {
  readonly name: string;
  /** Undefined: always open. */
  readonly hours: BusinessHours | undefined;
  /** People who come by a screen in its busiest hour. */
  readonly peakAnHour: number;
  /** Hours of the day, in site time, at which most people come. */
  readonly peaks: readonly number[];
  /** Share of the week's crowd that comes at weekends, per day. */
  readonly weekend: number;
}

const daily = (opening: string): BusinessHours => Object.fromEntries(DAYS.map((day) => [day, [opening]]));

export const siteKinds: readonly SiteKind[] = [
  { name: 'Station', hours: daily('05:00-24:00'), peakAnHour: 170, peaks: [8, 13, 18], weekend: 0.6 },
  {
    name: 'Shopping Centre',
    hours: { ...daily('09:00-21:00'), sun: ['11:00-18:00'] },
    peakAnHour: 120,
    peaks: [12, 17],
    weekend: 1.4,
  },
  { name: 'Street Corner', hours: undefined, peakAnHour: 90, peaks: [8, 12, 18], weekend: 0.8 },
  {
    name: 'Gym',
    hours: { ...daily('06:00-22:30'), sat: ['08:00-20:00'] },
    peakAnHour: 45,
    peaks: [7, 12, 19],
    weekend: 0.9,
  },
  {
    name: 'Bar',
    hours: { ...daily('16:00-01:00'), fri: ['16:00-03:00'], sat: ['12:00-14:00', '16:00-03:00'] },
    peakAnHour: 60,
    peaks: [18, 22],
    weekend: 1.5,
  },
];
