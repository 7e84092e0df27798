import { createIntakeMetrics } from '@popsvc/command-api/intake';
import { createMetrics } from '@popsvc/platform/telemetry';
import { expect } from 'chai';

describe('metrics of unknown references', () => {
  it('have series for 500 senders, and one for each field of all others', async () => {
    const registry = createMetrics('test');
    const metrics = createIntakeMetrics(registry);
    for (let network = 1; network <= 502; network++)
      metrics.countUnknownReferences({ network, vendor: 'acme' }, 'screenId', 2);
    metrics.countUnknownReferences({ network: 1, vendor: 'acme' }, 'screenId', 3);
    const series = (await registry.metrics()).match(/^popsvc_intake_unknown_references_total\{.*$/gm)!;
    expect(series).to.have.length(501);
    expect(series[0]).to.match(/network="1",vendor="acme",field="screenId".*\} 5$/);
    expect(series.at(-1)).to.match(/network="other",vendor="other",field="screenId".*\} 4$/);
  });
});
