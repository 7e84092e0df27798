/** Where networks work: their zone, those of their sites, and names of places. */
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
