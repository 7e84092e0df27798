import { AGE_CATEGORIES, GENDERS, MOODS, PLAY_REASONS } from '@popsvc/contracts/vocabulary';
import { ageCategory, gender, mood, playReason } from '@popsvc/domain/vocabulary';
import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from './runs.ts';

const understood = (value: string) => ({ value, mapped: true });
const notUnderstood = { value: 'unknown', mapped: false };

describe('vocabularies', () => {
  it('keep their own words', () => {
    for (const word of PLAY_REASONS) expect(playReason(word)).to.deep.equal(understood(word));
    for (const word of GENDERS) expect(gender(word)).to.deep.equal(understood(word));
    for (const word of MOODS) expect(mood(word)).to.deep.equal(understood(word));
    for (const word of AGE_CATEGORIES) expect(ageCategory(word)).to.deep.equal(understood(word));
  });

  it('do not care for case, space and hyphens', () => {
    expect(mood('  Very Happy ')).to.deep.equal(understood('very_happy'));
    expect(mood('VERY-UNHAPPY')).to.deep.equal(understood('very_unhappy'));
    expect(ageCategory('Young  Adult')).to.deep.equal(understood('young_adult'));
  });

  it('know other words for the same', () => {
    expect(['M', 'man', 'Male'].map((word) => gender(word).value)).to.deep.equal(['male', 'male', 'male']);
    expect(['f', 'Woman'].map((word) => gender(word).value)).to.deep.equal(['female', 'female']);
    for (const word of ['trigger', 'Trigger-based', 'triggered', 'trigger based'])
      expect(playReason(word)).to.deep.equal(understood('triggered'));
    expect(playReason('schedule')).to.deep.equal(understood('scheduled'));
    expect(playReason('synchronized')).to.deep.equal(understood('synchronised'));
    expect(mood('sad')).to.deep.equal(understood('unhappy'));
  });

  it('call absent and blank text unknown, which is nothing to count', () => {
    for (const text of [undefined, '', '  ', 'Unknown', 'n/a', '-'])
      for (const read of [playReason, gender, mood, ageCategory])
        expect(read(text)).to.deep.equal(understood('unknown'));
  });

  it('call text they do not understand unknown, to be counted', () => {
    for (const text of ['zebra', '__proto__', 'constructor', 'maleish'])
      for (const read of [playReason, gender, mood, ageCategory]) expect(read(text)).to.deep.equal(notUnderstood);
  });

  it('are closed: any text gives one of their words', () =>
    fc.assert(
      fc.property(fc.string(), fc.option(fc.string(), { nil: undefined }), (text, age) => {
        expect(PLAY_REASONS).to.include(playReason(text).value);
        expect(GENDERS).to.include(gender(text).value);
        expect(MOODS).to.include(mood(text).value);
        expect(AGE_CATEGORIES).to.include(ageCategory(text, age).value);
      }),
      runs(200),
    ));
});

describe('age categories', () => {
  it('come from the age when none is sent, at every edge', () => {
    const edges = {
      0: 'child',
      14: 'child',
      15: 'young_adult',
      34: 'young_adult',
      35: 'adult',
      64: 'adult',
      65: 'senior',
    };
    for (const [age, value] of Object.entries(edges)) {
      expect(ageCategory(undefined, Number(age))).to.deep.equal(understood(value));
      expect(ageCategory('', age)).to.deep.equal(understood(value));
    }
    expect(ageCategory(undefined, 14.9).value).to.equal('child');
    expect(ageCategory(undefined, '34.9').value).to.equal('young_adult');
    expect(ageCategory(undefined, 150).value).to.equal('senior');
  });

  it('as sent go before the age', () => expect(ageCategory('senior', 20)).to.deep.equal(understood('senior')));
  it('sent but not understood are unknown, whatever the age', () =>
    expect(ageCategory('zebra', 20)).to.deep.equal(notUnderstood));

  it('come from ranges that lie within one', () => {
    expect(ageCategory(undefined, '25-34')).to.deep.equal(understood('young_adult'));
    expect(ageCategory(undefined, '35 to 64')).to.deep.equal(understood('adult'));
    expect(ageCategory('65+')).to.deep.equal(understood('senior'));
    expect(ageCategory(undefined, '30-40')).to.deep.equal(notUnderstood);
    expect(ageCategory(undefined, '18+')).to.deep.equal(notUnderstood);
  });
});
