import { AGE_CATEGORIES, GENDERS, MOODS, PLAY_REASONS } from '@popsvc/contracts/vocabulary';
import { readAgeCategory, readGender, readMood, readPlayReason } from '@popsvc/domain/vocabulary';
import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from './runs.ts';

const understood = (value: string) => ({ value, mapped: true });
const notUnderstood = { value: 'unknown', mapped: false };

describe('vocabularies', () => {
  it('keep their own values', () => {
    for (const word of PLAY_REASONS) expect(readPlayReason(word)).to.deep.equal(understood(word));
    for (const word of GENDERS) expect(readGender(word)).to.deep.equal(understood(word));
    for (const word of MOODS) expect(readMood(word)).to.deep.equal(understood(word));
    for (const word of AGE_CATEGORIES) expect(readAgeCategory(word)).to.deep.equal(understood(word));
  });

  it('ignore case, space and hyphens', () => {
    expect(readMood('  Very Happy ')).to.deep.equal(understood('very_happy'));
    expect(readMood('VERY-UNHAPPY')).to.deep.equal(understood('very_unhappy'));
    expect(readAgeCategory('Young  Adult')).to.deep.equal(understood('young_adult'));
  });

  it('have synonyms', () => {
    expect(['M', 'man', 'Male'].map((word) => readGender(word).value)).to.deep.equal(['male', 'male', 'male']);
    expect(['f', 'Woman'].map((word) => readGender(word).value)).to.deep.equal(['female', 'female']);
    for (const word of ['trigger', 'Trigger-based', 'triggered', 'trigger based'])
      expect(readPlayReason(word)).to.deep.equal(understood('triggered'));
    expect(readPlayReason('schedule')).to.deep.equal(understood('scheduled'));
    expect(readPlayReason('synchronized')).to.deep.equal(understood('synchronised'));
    expect(readMood('sad')).to.deep.equal(understood('unhappy'));
  });

  it('read absent and blank text as unknown, which is not counted', () => {
    for (const text of [undefined, '', '  ', 'Unknown', 'n/a', '-'])
      for (const read of [readPlayReason, readGender, readMood, readAgeCategory])
        expect(read(text)).to.deep.equal(understood('unknown'));
  });

  it('read text without equivalent as unknown, which is counted', () => {
    for (const text of ['zebra', '__proto__', 'constructor', 'maleish'])
      for (const read of [readPlayReason, readGender, readMood, readAgeCategory])
        expect(read(text)).to.deep.equal(notUnderstood);
  });

  it('are closed: any text gives one of their values', () =>
    fc.assert(
      fc.property(fc.string(), fc.option(fc.string(), { nil: undefined }), (text, age) => {
        expect(PLAY_REASONS).to.include(readPlayReason(text).value);
        expect(GENDERS).to.include(readGender(text).value);
        expect(MOODS).to.include(readMood(text).value);
        expect(AGE_CATEGORIES).to.include(readAgeCategory(text, age).value);
      }),
      runs(200),
    ));
});

describe('age categories', () => {
  it('come from the age if none is sent, at every edge', () => {
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
      expect(readAgeCategory(undefined, Number(age))).to.deep.equal(understood(value));
      expect(readAgeCategory('', age)).to.deep.equal(understood(value));
    }
    expect(readAgeCategory(undefined, 14.9).value).to.equal('child');
    expect(readAgeCategory(undefined, '34.9').value).to.equal('young_adult');
    expect(readAgeCategory(undefined, 150).value).to.equal('senior');
  });

  it('take precedence over the age if sent', () =>
    expect(readAgeCategory('senior', 20)).to.deep.equal(understood('senior')));
  it('without equivalent are unknown, for any age', () =>
    expect(readAgeCategory('zebra', 20)).to.deep.equal(notUnderstood));

  for (const [value, ages] of [
    [
      'child',
      ['<15', '< 15', 'under 15', 'Under 15 years', 'below 15', '≤14', '<= 14', '14 and under', '0-14', 'up to 14'],
    ],
    [
      'young_adult',
      ['25-34', '25 – 34', '25—34', '25−34', '25_34', '25-34 years', '25 to 34 yrs', 'Age 25-34', '15 - 34'],
    ],
    ['young_adult', ['34 years', '20 years old', '20y', 'aged 34.9 years']],
    ['adult', ['35 to 64', '35-64 years old', '35\u00a0–\u00a064']],
    [
      'senior',
      ['65+', '65 +', '>65', '> 64', '≥65', '>= 65', 'over 65', 'older than 65', '65 and over', '65 or older'],
    ],
    ['senior', ['65 years and over', '65+ years', '65 Plus', 'at least 65', '80-95']],
  ] as const)
    for (const age of ages)
      it(`come from ranges within one category: ${age}`, () => {
        expect(readAgeCategory(undefined, age)).to.deep.equal(understood(value));
        expect(readAgeCategory(` ${age} `)).to.deep.equal(understood(value));
      });

  for (const age of [
    '30-40',
    '18+',
    '≤15',
    '<35',
    '>14',
    'over 60',
    '14 – 15',
    '34-25',
    '<0',
    '25-',
    '-5',
    'years',
    '<',
  ])
    it(`do not come from ${age}`, () => expect(readAgeCategory(undefined, age)).to.deep.equal(notUnderstood));
});
