import { type BusinessHours, DAYS } from '@popsvc/contracts/registry';
import { isOpen, toWeeklyHours } from '@popsvc/domain/business-hours';

/** A kind of site, with its opening hours and numbers of visitors. */
interface SiteKind {
  readonly name: string;
  /** Opening hours; undefined if the site is always open. */
  readonly hours: BusinessHours | undefined;
  /** Number of people who pass a screen in its busiest hour. */
  readonly peoplePerPeakHour: number;
  /** Busiest hours of the day, in site time. */
  readonly peaks: readonly number[];
  /** `peoplePerPeakHour` is multiplied by this factor on Saturdays and Sundays. */
  readonly weekend: number;
}

const daily = (opening: string): BusinessHours => Object.fromEntries(DAYS.map((day) => [day, [opening]]));

const siteKinds: readonly SiteKind[] = [
  { name: 'Station', hours: daily('05:00-24:00'), peoplePerPeakHour: 170, peaks: [8, 13, 18], weekend: 0.6 },
  {
    name: 'Shopping Centre',
    hours: { ...daily('09:00-21:00'), sun: ['11:00-18:00'] },
    peoplePerPeakHour: 120,
    peaks: [12, 17],
    weekend: 1.4,
  },
  { name: 'Street Corner', hours: undefined, peoplePerPeakHour: 90, peaks: [8, 12, 18], weekend: 0.8 },
  {
    name: 'Gym',
    hours: { ...daily('06:00-22:30'), sat: ['08:00-20:00'] },
    peoplePerPeakHour: 45,
    peaks: [7, 12, 19],
    weekend: 0.9,
  },
  {
    name: 'Bar',
    hours: { ...daily('16:00-01:00'), fri: ['16:00-03:00'], sat: ['12:00-14:00', '16:00-03:00'] },
    peoplePerPeakHour: 60,
    peaks: [18, 22],
    weekend: 1.5,
  },
];

/** The market of a network: the network's name and time zone, and the time zones and place names of its sites. */
export interface Market {
  readonly network: string;
  readonly timezone: string;
  readonly siteZones: readonly string[];
  readonly places: readonly string[];
}

export const markets: readonly Market[] = [
  {
    network: 'Northline Media',
    timezone: 'Europe/London',
    siteZones: ['Europe/London', 'Europe/Dublin', 'Europe/Berlin'],
    places: ['Northgate', 'Quayside', 'Fenwick', 'Albert', 'Mill Lane', 'Harbour', 'St Anne', 'Broadway'],
  },
  {
    network: 'Lakeshore Screens',
    timezone: 'America/Chicago',
    siteZones: ['America/Chicago', 'America/New_York', 'America/Los_Angeles'],
    places: ['Lakeview', 'Union', 'Maple', 'Riverfront', 'Pioneer', 'Grand', 'Fifth Avenue', 'Market'],
  },
  {
    network: 'Monsoon Outdoor',
    timezone: 'Asia/Kolkata',
    siteZones: ['Asia/Kolkata', 'Asia/Kathmandu', 'Asia/Singapore'],
    places: ['Gateway', 'Banyan', 'Lotus', 'Old Fort', 'Marine Drive', 'Orchard', 'Temple Road', 'Garden'],
  },
  {
    network: 'Southern Cross Display',
    timezone: 'Australia/Sydney',
    siteZones: ['Australia/Sydney', 'Australia/Adelaide', 'Pacific/Auckland'],
    places: ['Circular', 'Bayside', 'Wattle', 'Federation', 'Ferry', 'Parkside', 'Queen', 'Pier'],
  },
];

export interface SimulatedDevice {
  readonly id: number;
  readonly name: string;
  readonly site: number;
  readonly location: number;
  readonly screens: readonly string[];
  readonly vendor: string;
  readonly kind: SiteKind;
  readonly timezone: string;
  readonly week: ReturnType<typeof toWeeklyHours>;
  /** Id of the feeder; undefined if the device does not measure its audience. */
  readonly feeder: number | undefined;
  readonly camera: number | undefined;
  /** The site kind's `peoplePerPeakHour` is multiplied by this factor for this device. */
  readonly share: number;
}

const devicesPerLocation = 3;
const locationsPerSite = 2;

/** Suffixes of vendor codes: one for vendors of players, one for vendors of kiosks. */
export const playerVendorSuffix = 'a';
export const kioskVendorSuffix = 'b';

/**
 * Maps the index of a device to the index of its location; `siteIndexOf` maps the index of a location to the index of its site.
 * Indexes start at 0 in each network.
 */
export const locationIndexOf = (device: number): number => Math.floor(device / devicesPerLocation);
export const siteIndexOf = (location: number): number => Math.floor(location / locationsPerSite);

/** Builds an id for an entity in a network: the network's id followed by five digits. */
export const idOf = (network: number, index: number): number => network * 100_000 + index + 1;

export const kindOf = (site: number): SiteKind => siteKinds[site % siteKinds.length]!;
export const zoneOf = ({ siteZones }: Market, site: number): string => siteZones[site % siteZones.length]!;

/** Creates the device with this index. The result does not depend on the other devices. */
export const createDevice = (
  network: number,
  market: Market,
  vendors: readonly string[],
  index: number,
): SimulatedDevice => {
  const [id, location] = [idOf(network, index), locationIndexOf(index)];
  const site = siteIndexOf(location);
  const [kind, timezone] = [kindOf(site), zoneOf(market, site)];
  const screens = index % 10 === 9 ? ['front', 'back'] : ['front'];
  const isWatched = index % 4 !== 3;
  return {
    id,
    name: `Screen ${index + 1}`,
    site: idOf(network, site),
    location: idOf(network, location),
    screens: screens.map((side) => `${network}-${index + 1}-${side}`),
    vendor: vendors[index % 5 === 4 ? 1 : 0]!,
    kind,
    timezone,
    week: toWeeklyHours(kind.hours),
    feeder: isWatched ? id : undefined,
    camera: isWatched && index % 4 !== 2 ? id : undefined,
    share: 0.5 + (index % devicesPerLocation) / 2,
  };
};

export const hourMs = 3_600_000;
const quarterMs = hourMs / 4;

/** A half-open period, ms since 1970. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Finds the periods within an hour when a device's site is open. Checks only the start of each quarter hour, because opening
 * times and time zone offsets are multiples of 15 minutes.
 */
export const findOpenPeriods = (
  { week, timezone }: Pick<SimulatedDevice, 'week' | 'timezone'>,
  fromMs: number,
): readonly Period[] => {
  const periods: Period[] = [];
  for (let at = fromMs; at < fromMs + hourMs; at += quarterMs) {
    if (!isOpen(week, at, timezone)) continue;
    const last = periods.at(-1);
    if (last?.toMs === at) periods[periods.length - 1] = { fromMs: last.fromMs, toMs: at + quarterMs };
    else periods.push({ fromMs: at, toMs: at + quarterMs });
  }
  return periods;
};
