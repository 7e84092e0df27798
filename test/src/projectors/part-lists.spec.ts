import { compareWithList } from '@popsvc/read-models/generations';
import { expect } from 'chai';

const part = (name: string, fingerprint = name) => ({ table: 'coffee_g1', part: name, fingerprint });
const stored = (active: readonly string[], detached: readonly string[] = [], missing: readonly string[] = []) => ({
  missing,
  active: active.map((name) => part(name)),
  detached: detached.map((name) => ({ table: 'coffee_g1', part: name, reason: name.split('_')[0]! })),
});
const damage = (listed: readonly string[], tables: ReturnType<typeof stored>) =>
  compareWithList({ parts: listed.map((name) => part(name)) }, tables).map(({ part: name }) => name);

describe('the comparison of tables with the list of their parts', () => {
  it('accepts listed parts that are active or merged into an active part', () => {
    expect(damage(['202608_1_1_0', '202608_2_2_0'], stored(['202608_1_1_0', '202608_2_2_0']))).to.deep.equal([]);
    expect(damage(['202608_1_1_0', '202608_2_4_1'], stored(['202608_1_9_2']))).to.deep.equal([]);
    expect(damage(['all_1_4_1_6'], stored(['all_1_4_1_7']))).to.deep.equal([]);
  });

  it('finds lost parts, also if another partition or a part of a lower level has their blocks', () => {
    expect(damage(['202608_1_1_0'], stored([]))).to.deep.equal(['202608_1_1_0']);
    expect(damage(['202608_1_3_1'], stored(['202607_1_9_2', '202608_1_2_1']))).to.deep.equal(['202608_1_3_1']);
    expect(damage(['202608_1_3_2'], stored(['202608_1_3_1']))).to.deep.equal(['202608_1_3_2']);
    expect(damage(['all_1_4_1_7'], stored(['all_1_4_1_6']))).to.deep.equal(['all_1_4_1_7']);
  });

  it('finds parts whose content changed', () => {
    const [found] = compareWithList({ parts: [part('all_1_1_0', 'other')] }, stored(['all_1_1_0']));
    expect(found).to.deep.equal({
      table: 'coffee_g1',
      part: 'all_1_1_0',
      problem: 'its rows or files are not those that were written',
      isDroppable: false,
    });
  });

  it('finds detached parts, unless ClickHouse still has the parts of which one was merged', () => {
    expect(damage([], stored([], ['broken-on-start_all_7_7_0']))).to.deep.equal(['all_7_7_0']);
    expect(damage([], stored([], ['unexpected_all_7_7_0_try1']))).to.deep.equal(['all_7_7_0_try1']);
    expect(damage(['all_1_2_1'], stored([], ['broken-on-start_all_1_2_1']))).to.deep.equal(['all_1_2_1']);
    expect(damage(['all_1_1_0'], stored(['all_1_1_0', 'all_2_2_0'], ['broken-on-start_all_1_2_1']))).to.deep.equal([]);
  });

  it('finds missing tables once, without their parts', () => {
    expect(damage(['all_1_1_0'], stored([], [], ['coffee_g1']))).to.deep.equal([null]);
  });
});
