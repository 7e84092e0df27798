import { mergeValues } from '@popsvc/tools/helm';
import { expect } from 'chai';

describe('values of a Helm chart', () => {
  const defaults = { name: 'a', list: [1, 2], map: { one: '1', inner: { two: '2' } }, empty: null };

  it('are merged by key, and a list replaces a list', () => {
    expect(mergeValues(defaults, { list: [3], map: { inner: { three: '3' } } })).to.deep.equal({
      name: 'a',
      list: [3],
      map: { one: '1', inner: { two: '2', three: '3' } },
      empty: null,
    });
  });

  it('are removed by null', () => {
    expect(mergeValues(defaults, { name: null, map: { inner: null } })).to.deep.equal({
      list: [1, 2],
      map: { one: '1' },
      empty: null,
    });
  });

  it('may replace null by a map', () => {
    expect(mergeValues(defaults, { empty: { a: '1' } })).to.deep.include({ empty: { a: '1' } });
  });

  it('are refused if a map replaces something else, or is replaced', () => {
    expect(() => mergeValues(defaults, { map: { inner: 'x' } })).to.throw('map.inner must be a map');
    expect(() => mergeValues(defaults, { name: { first: 'x' } })).to.throw('name must not be a map');
  });

  it('do not change the defaults', () => {
    const before = structuredClone(defaults);
    mergeValues(defaults, { map: { inner: { two: 'x' } } });
    expect(defaults).to.deep.equal(before);
  });
});
