import { devicePlaces } from '@popsvc/domain/registry';
import { expect } from 'chai';
import { changed, history, retired, type EntityEvent } from './given-registry.ts';
import { elsewhere, from, may, pier, quayside, upstairs } from './places-of-harbour.ts';
import { device, harbour } from './registry-harbour.ts';

describe('the place of a device', () => {
  const places = (...more: readonly EntityEvent[]) => devicePlaces(history([...harbour, ...more]), 1);

  it('is known for all times, also after it is retired', () =>
    expect(places(retired('devices', device, may))).to.deep.equal(new Map([[4, [from(0, quayside)]]])));

  it('changes when it moves', () =>
    expect(places(elsewhere, upstairs, changed('devices', { ...device, location: 23 }, may)).get(4)).to.deep.equal([
      from(0, quayside),
      from(may, pier),
    ]));
});
