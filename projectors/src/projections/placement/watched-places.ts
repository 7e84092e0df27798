import {
  devicePlaces,
  type PlaceSegment,
  type Registry,
  screenPlaces,
  type AffectedPlaces,
} from '@popsvc/domain/registry';

/** Places as a projection keeps them: by screen, or by device. */
export interface WatchedPlaces<Key> {
  /** The keys whose places an event may change, asked before it is folded. */
  readonly touched: (registry: Registry, touched: AffectedPlaces) => Iterable<Key>;
  readonly places: (
    registry: Registry,
    network: number,
    only: Iterable<Key>,
  ) => ReadonlyMap<Key, readonly PlaceSegment[]>;
}

/** The key '' is the network, which answers for every screen that is not known: it is always compared with. */
export const watchedScreens: WatchedPlaces<string> = {
  touched: ({ devicesOfScreen }, { network, devices }) => [
    '',
    ...(devices === 'all' ? (devicesOfScreen.get(network)?.keys() ?? []) : devices.flatMap(({ screens }) => screens)),
  ],
  places: screenPlaces,
};

export const watchedDevices: WatchedPlaces<number> = {
  touched: ({ devicesOfNetwork }, { network, devices }) =>
    devices === 'all'
      ? (devicesOfNetwork.get(network) ?? []).map(({ first }) => first.entity.id)
      : devices.map(({ id }) => id),
  places: devicePlaces,
};
