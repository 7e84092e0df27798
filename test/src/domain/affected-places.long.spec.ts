import {
  devicePlaces,
  diffSegments,
  emptyRegistry,
  foldRegistry,
  type PlaceSegment,
  type Registry,
  screenPlaces,
  affectedPlaces,
} from '@popsvc/domain/registry';
import { expect } from 'chai';
import fc from 'fast-check';
import { type Applied, applyAll, files } from './registry-arbitraries.ts';
import { runs } from './runs.ts';

type Places<Key> = ReadonlyMap<Key, readonly PlaceSegment[]>;
type Only = readonly string[] | undefined;

/** The differences, sorted. */
const differences = <Key>(before: Places<Key>, after: Places<Key>) => {
  const { changed, write, remove } = diffSegments(before, after);
  return [changed, write, remove].map((part) => part.map((one) => fc.stringify(one)).sort());
};

/** Places of network 1 by screen or by device, all or some. */
const kept = {
  screens: (registry: Registry, only: Only) => screenPlaces(registry, 1, only),
  devices: (registry: Registry, only: Only) =>
    new Map(
      [...devicePlaces(registry, 1, only?.map(Number))].map(([id, segments]): [string, PlaceSegment[]] => [
        String(id),
        segments,
      ]),
    ),
};

const cutAt = (log: readonly Applied[], every: number) =>
  Array.from({ length: Math.ceil(log.length / every) }, (_, index) => log.slice(index * every, (index + 1) * every));

describe('the places affected by registry events', () => {
  for (const by of ['screens', 'devices'] as const)
    it(`are all that change, event by event and in batches (${by})`, () => {
      let partial = 0;
      const property = fc.property(files, fc.integer({ min: 1, max: 5 }), (all, every) => {
        const registry = emptyRegistry();
        const placesOf = (only?: readonly string[]) => kept[by](registry, only);
        const { log } = applyAll(all);
        for (const batch of cutAt(log, every)) {
          const isNew = !registry.entries.networks.has('1');
          const whole = isNew ? new Map<string, PlaceSegment[]>() : placesOf();
          const touchedKeys = new Set(by === 'screens' ? [''] : []);
          for (const event of batch) {
            const touched = affectedPlaces(registry, event.type, event.data);
            if (touched?.network === 1) {
              if (touched.devices === 'all') for (const key of placesOf().keys()) touchedKeys.add(key);
              else
                for (const { id, screens } of touched.devices)
                  for (const key of by === 'screens' ? screens : [String(id)]) touchedKeys.add(key);
            }
            foldRegistry(registry, event);
          }
          const before = new Map([...whole].filter(([key]) => touchedKeys.has(key)));
          expect(differences(before, placesOf([...touchedKeys]))).to.deep.equal(differences(whole, placesOf()));
          if (touchedKeys.size < placesOf().size) partial += 1;
        }
      });
      fc.assert(property, runs(150));
      expect(partial, 'times when something was left alone').to.be.above(20);
    });

  it('are none if a network is renamed, and all of it if its zone changes', () => {
    const registry = emptyRegistry();
    const type = 'NetworkRegistered';
    const network = { id: 1, name: 'N', timezone: 'Europe/London' };
    expect(affectedPlaces(registry, type, network)).to.deep.equal({ network: 1, devices: 'all', feeders: [] });
    foldRegistry(registry, { type, data: network, atMs: 0, position: 1 });
    expect(affectedPlaces(registry, 'NetworkChanged', { ...network, name: 'M' })).to.equal(undefined);
    expect(affectedPlaces(registry, 'NetworkChanged', { ...network, timezone: 'Asia/Tokyo' })?.devices).to.equal('all');
  });
});
