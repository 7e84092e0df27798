import { screenPlaces } from '@popsvc/domain/registry';
import { at, history, registered, type EntityEvent } from './given-registry.ts';
import { harbour } from './registry-harbour.ts';

export const march = '2026-03-01T00:00:00.000Z';
export const may = '2026-05-01T00:00:00.000Z';
export const quayside = {
  known: true,
  deviceId: 4,
  locationId: 3,
  siteId: 2,
  siteTz: 'Europe/Lisbon',
  deviceTz: 'Europe/Lisbon',
  opens: [420],
  closes: [1_320],
};
export const unknown = {
  known: false,
  deviceId: 0,
  locationId: 0,
  siteId: 0,
  siteTz: 'Europe/London',
  deviceTz: '',
  opens: [],
  closes: [],
};
const always = { opens: [0], closes: [10_080] };
export const from = (instant: string | 0, place: object) => ({
  ...place,
  validFromMs: instant === 0 ? 0 : at(instant),
});

export const screens = (...more: readonly EntityEvent[]) => screenPlaces(history([...harbour, ...more]), 1);
export const screen = (id: string, ...more: readonly EntityEvent[]) => screens(...more).get(id);
export const elsewhere = registered('sites', { id: 22, name: 'Pier', network: 1, timezone: 'Asia/Kathmandu' }, march);
export const upstairs = registered('locations', { id: 23, name: 'Deck', site: 22 }, march);
export const pier = {
  ...quayside,
  locationId: 23,
  siteId: 22,
  siteTz: 'Asia/Kathmandu',
  deviceTz: 'Asia/Kathmandu',
  ...always,
};
