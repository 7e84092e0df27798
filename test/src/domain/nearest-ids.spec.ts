// cspell:disable -- misspelt ids
import { createNearestIds } from '@popsvc/domain/registry';
import { expect } from 'chai';
import { history, registered } from './given-registry.ts';
import { campaign, creative, device, harbour } from './registry-harbour.ts';

const screens = ['entrance-screen-1', 'lift-left', 'ÉTAGE 2', 'A1', '...'];
const registryOf = () => history([...harbour, registered('devices', { ...device, id: 20, screen_ids: screens })]);
const nearest = createNearestIds(registryOf(), () => 0);

describe('the nearest registered id', () => {
  const found: readonly (readonly [what: string, unknownId: string, due: string | undefined])[] = [
    ['another case', 'Entrance-SCREEN-1', 'entrance-screen-1'],
    ['other punctuation and spaces', ' entrance_screen 1', 'entrance-screen-1'],
    ['a missing character', 'entrance-sceen-1', 'entrance-screen-1'],
    ['an additional character', 'entrance-scrreen-1', 'entrance-screen-1'],
    ['another character', 'entrance-screem-1', 'entrance-screen-1'],
    ['another last character', 'entrance-screen-7', 'entrance-screen-1'],
    ['swapped characters', 'entrance-screne-1', 'entrance-screen-1'],
    ['two edits', 'entranse-screan-1', 'entrance-screen-1'],
    ['characters swapped twice', 'netrance-screne-1', 'entrance-screen-1'],
    ['three edits', 'entranse-skrean-1', undefined],
    ['letters beyond ASCII', 'etage 2', 'ÉTAGE 2'],
    ['a short id in another case', 'a-1', 'A1'],
    ['another short id', 'A2', undefined],
    ['two edits in an id of five characters', 'liftl', undefined],
    ['no letters or digits', '---', undefined],
    ['a long id', 'x'.repeat(1_000), undefined],
    ['an empty id', '', undefined],
  ];
  for (const [what, unknownId, due] of found)
    it(`with ${what} is ${due ?? 'none'}`, () => expect(nearest.find(1, 'screenId', unknownId)).to.equal(due));

  it('is one of the same network and kind', () => {
    expect(nearest.find(1, 'campaignId', 'C-101')).to.equal('C-100');
    expect(nearest.find(1, 'creativeId', 'CR1')).to.equal('CR-1');
    expect(nearest.find(10, 'campaignId', 'C-101')).to.equal(undefined);
    expect(nearest.find(1, 'creativeId', 'C-101')).to.equal(undefined);
  });

  it('has the fewest edits, then the same length, then the earliest registration', () => {
    const ids = ['panel-aabb', 'panel-aaaa', 'panel-aaac', 'panel-aaab1'];
    const registry = history([...harbour, registered('devices', { ...device, id: 20, screen_ids: ids })]);
    expect(createNearestIds(registry, () => 0).find(1, 'screenId', 'panel-aaab')).to.equal('panel-aabb');
    expect(createNearestIds(registry, () => 0).find(1, 'screenId', 'panel-aaad')).to.equal('panel-aaaa');
    expect(createNearestIds(registry, () => 0).find(1, 'screenId', 'panel-aaab12')).to.equal('panel-aaab1');
  });

  it('is found as soon as it is registered', () => {
    const registry = history(harbour);
    const index = createNearestIds(registry, () => 0);
    expect(index.find(1, 'campaignId', 'WINTER-1')).to.equal(undefined);
    history([registered('campaigns', { ...campaign, id: 9, external_id: 'WINTER-2' })], registry, 100);
    expect(index.find(1, 'campaignId', 'WINTER-1')).to.equal('WINTER-2');
  });

  it('is not searched more than 200 times a second, unless the result is known', () => {
    let nowMs = 5_000;
    const index = createNearestIds(registryOf(), () => nowMs);
    const find = (unknownId: string) => index.find(1, 'creativeId', unknownId);
    for (let search = 0; search < 199; search++) find(`other ${search}`);
    expect(find(`${creative.external_id}1`)).to.equal('CR-1');
    expect(find('CR1')).to.equal(undefined);
    expect(find(`${creative.external_id}1`)).to.equal('CR-1');
    nowMs += 1_000;
    expect(find('CR1')).to.equal('CR-1');
  });
});
