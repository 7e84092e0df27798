import { defaultThresholds } from '@popsvc/contracts/metrics';
import { summarizeDetection, thresholdsAt } from '../oracle/audience.ts';
import { expect } from 'chai';

describe('the summary of a detection', () => {
  it('has attention 0 without length', () =>
    expect(summarizeDetection({ from: 5, to: 5, watches: [{ from: 5, to: 5 }] }, defaultThresholds)).to.deep.equal({
      isWatcher: false,
      durationMs: 0,
      watchMs: 0,
      attention: 0,
    }));
  it('is a watcher from any watch interval', () =>
    expect(summarizeDetection({ from: 0, to: 10_000, watches: [{ from: 7, to: 8 }] }, defaultThresholds)).to.include({
      isWatcher: true,
      watchMs: 1,
    }));
});

describe('thresholds at an instant', () => {
  const strict = { ...defaultThresholds, impression_ms: 2_000 };
  const versions = [
    { validFromMs: 0, definition: 0, thresholds: defaultThresholds },
    { validFromMs: 1_000, definition: 1, thresholds: strict },
  ];
  it('are those of the version in force', () => {
    expect(thresholdsAt(versions, 999)).to.equal(defaultThresholds);
    expect(thresholdsAt(versions, 1_000)).to.equal(strict);
  });
  it('are those of the first version before it begins, and the default without versions', () => {
    expect(thresholdsAt(versions, -5)).to.equal(defaultThresholds);
    expect(thresholdsAt([], 5)).to.equal(defaultThresholds);
  });
});
