import { defaultThresholds } from '@popsvc/contracts/metrics';
import { thresholdVersions } from '@popsvc/domain/registry';
import { expect } from 'chai';
import { at, history, registered } from './given-registry.ts';
import { definition, harbour } from './registry-harbour.ts';

describe('thresholds of a network', () => {
  const byDefault = { validFromMs: 0, definition: 0, thresholds: defaultThresholds };
  const published = (version: number, from: string, impression: number) =>
    registered('metric_definitions', {
      ...definition,
      version,
      effective_from: from,
      thresholds: { impression_ms: impression },
    });
  const held = (validFrom: string, version: number, impression: number) => ({
    validFromMs: at(validFrom),
    definition: version,
    thresholds: { ...defaultThresholds, impression_ms: impression },
  });

  it('are the default without a published version', () =>
    expect(thresholdVersions(history(harbour), 10)).to.deep.equal([byDefault]));

  it('apply from their instant on, the default before', () =>
    expect(thresholdVersions(history(harbour), 1)).to.deep.equal([byDefault, held('2026-07-01T00:00:00Z', 1, 1_500)]));

  it('are sorted by their instants, not by the log', () =>
    expect(thresholdVersions(history([...harbour, published(3, '2026-03-01T00:00:00Z', 700)]), 1)).to.deep.equal([
      byDefault,
      held('2026-03-01T00:00:00Z', 3, 700),
      held('2026-07-01T00:00:00Z', 1, 1_500),
    ]));

  it('of one instant are those of the last event', () =>
    expect(thresholdVersions(history([...harbour, published(2, '2026-07-01T00:00:00Z', 700)]), 1)).to.deep.equal([
      byDefault,
      held('2026-07-01T00:00:00Z', 2, 700),
    ]));

  it('from before 1970 replace the default', () =>
    expect(thresholdVersions(history([...harbour, published(2, '1960-01-01T00:00:00Z', 700)]), 1)[0]).to.deep.equal({
      ...held('1970-01-01T00:00:00Z', 2, 700),
    }));
});
