import {
  AGE_CATEGORIES,
  APP_STATES,
  GENDERS,
  MOODS,
  PLAY_REASONS,
  POP_TYPES,
  POPULATIONS,
  QUARANTINE_CODES,
} from '@popsvc/contracts/vocabulary';
import { BULK_FORMATS, BulkJob } from '@popsvc/contracts/bulk';
import { errorMessages } from '@popsvc/contracts/errors';
import { EVENT_STATUSES, RECEIPT_OUTCOMES } from '@popsvc/contracts/responses';
import { expect } from 'chai';
import { read } from './tree.fixture.ts';

/** Every vocabulary that a vendor sends or receives, by field. */
const vocabularies: Readonly<Record<string, readonly string[]>> = {
  startReason: PLAY_REASONS,
  gender: GENDERS,
  ageCategory: AGE_CATEGORIES,
  mood: MOODS,
  population: POPULATIONS,
  state: APP_STATES,
  format: BULK_FORMATS,
  popTypes: POP_TYPES,
  'status of a job': BulkJob.shape.status.options,
  'status of an event': EVENT_STATUSES,
  outcome: RECEIPT_OUTCOMES,
  code: QUARANTINE_CODES,
};

describe('the vocabularies of vendors', () => {
  const guide = read('docs/guides/vendors.md');
  const openApi = read('docs/reference/openapi/command-api.json');

  for (const [field, values] of Object.entries(vocabularies)) {
    it(`the guide lists every value of ${field}`, () => {
      expect(values.filter((value) => !guide.includes(`\`${value}\``))).to.deep.equal([]);
    });

    it(`OpenAPI lists every value of ${field}`, () => {
      const isListed = (value: string) =>
        value === 'unknown' || openApi.includes(`"${value}"`) || openApi.includes(`\`${value}\``);
      expect(values.filter((value) => !isListed(value))).to.deep.equal([]);
    });
  }

  it('the guide lists every error code that vendors can get', () => {
    const codes = Object.keys(errorMessages).filter((code) => openApi.includes(`\`${code}\`:`));
    expect(codes).to.have.length.above(10);
    expect(codes.filter((code) => !guide.includes(`\`${code}\``))).to.deep.equal([]);
  });
});
