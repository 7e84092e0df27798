import { allEvents, streamPrefixesOf, streamPrefixes } from '@popsvc/contracts/events';
import { expect } from 'chai';

describe('bus: where events stand', () => {
  it('is known of every event, and every prefix is one of some event', () => {
    const prefixes = allEvents.flatMap(({ type }) => streamPrefixesOf([type]));
    expect(new Set(prefixes)).to.deep.equal(new Set(Object.values(streamPrefixes)));
  });

  it('names a prefix once, and refuses types nobody knows', () => {
    expect(streamPrefixesOf(['BulkIngestQueued', 'BulkIngestStarted'])).to.deep.equal(['bulkJob-']);
    expect(() => streamPrefixesOf(['NoSuchEvent'])).to.throw('NoSuchEvent');
  });
});
