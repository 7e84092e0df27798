import { allEvents, streamPrefixesOf, streamPrefixes } from '@popsvc/contracts/events';
import { expect } from 'chai';

describe('streamPrefixesOf', () => {
  it('returns a prefix for every event type and no unknown prefix', () => {
    const prefixes = allEvents.flatMap(({ type }) => streamPrefixesOf([type]));
    expect(new Set(prefixes)).to.deep.equal(new Set(Object.values(streamPrefixes)));
  });

  it('returns each prefix once, and rejects unknown types', () => {
    expect(streamPrefixesOf(['BulkIngestQueued', 'BulkIngestStarted'])).to.deep.equal(['bulkJob-']);
    expect(() => streamPrefixesOf(['NoSuchEvent'])).to.throw('NoSuchEvent');
  });
});
