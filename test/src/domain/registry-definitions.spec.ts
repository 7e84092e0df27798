import { expect } from 'chai';
import { counts } from './counts-by-kind.ts';
import { given } from './given-registry.ts';
import { definition, harbour } from './registry-harbour.ts';

const now = () => given(...harbour);
const march = '2026-03-01T00:00:00.000Z';

describe('thresholds in a registry file', () => {
  const past = { ...definition, version: 2, effective_from: march };
  it('can take effect now', () =>
    expect(
      given(...harbour)
        .when({ metric_definitions: [{ ...past, effective_from: '2026-06-01T00:00:00.000Z' }] })
        .plan().changes,
    ).to.have.length(1));
  it('can take effect in the past with restate', () =>
    expect(
      given(...harbour)
        .when({ metric_definitions: [past] }, { restate: true })
        .plan().counts.created,
    ).to.deep.equal(counts({ metric_definitions: 1 })));
  it('do not change after publication, also after they take effect', () =>
    given(...harbour)
      .when({ metric_definitions: [definition] }, { nowMs: Date.UTC(2030, 0, 1) })
      .thenNothing());

  it('are refused if they change after publication', () => {
    const problem = [
      'metric_definitions[0].version',
      'is published and never changes; publish another version',
    ] as const;
    now()
      .when({ metric_definitions: [{ ...definition, thresholds: {} }] })
      .thenRefused(problem);
    now()
      .when({ metric_definitions: [{ ...definition, effective_from: '2026-07-01T00:00:00.001Z' }] }, { restate: true })
      .thenRefused(problem);
  });

  it('are refused if they take effect in the past', () =>
    now()
      .when({ metric_definitions: [{ ...definition, version: 2, effective_from: '2026-05-31T23:59:59.999Z' }] })
      .thenRefused([
        'metric_definitions[0].effective_from',
        'is before now and would change past reports; needs --restate',
      ]));
});
