import { allEvents, prefixesOf, streamPrefixes } from '@popsvc/contracts/events';
import { expect } from 'chai';

describe('bus: where events stand', () => {
  it('is known of every event, and every prefix is one of some event', () => {
    const prefixes = allEvents.flatMap(({ type }) => prefixesOf([type]));
    expect(new Set(prefixes)).to.deep.equal(new Set(Object.values(streamPrefixes)));
  });

  it('names a prefix once, and refuses types nobody knows', () => {
    expect(prefixesOf(['BulkIngestQueued', 'BulkIngestStarted'])).to.deep.equal(['bulkJob-']);
    expect(() => prefixesOf(['NoSuchEvent'])).to.throw('NoSuchEvent');
  });
});
