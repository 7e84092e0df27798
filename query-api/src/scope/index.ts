export { networkHeader } from './network-header.ts';
export { type KnownPlaces, knownPlaces } from './known-places.ts';
export { type Places, type Scope, scope } from './scope.ts';
