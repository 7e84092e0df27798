import { liveBatchLimits, type LogItem } from '@popsvc/projectors/engine';
import { allProjections } from '@popsvc/projectors/projections';
import { expect } from 'chai';

const detected = (index: number): LogItem => ({
  eventId: '',
  type: 'DetectionsRecorded',
  data: {
    detectionId: `d-${index}`,
    revision: 0,
    deviceId: 4,
    watcherId: index,
    startedAt: '2026-08-20T00:00:00.000Z',
    endedAt: '2026-08-21T00:00:00.000Z',
    distance: [],
    watches: [],
    population: 'VIEWER',
  },
  metadata: { schemaVersion: 1, receivedAt: '2026-08-21T00:00:00.000Z', network: 1, vendor: 'acme' },
  stream: 'detection-1.acme.20260821',
  revision: BigInt(index),
  sequence: BigInt(index),
  recordedAtMs: Date.parse('2026-08-21T00:00:00Z'),
});

describe('many detections that last all day', () => {
  it('fit into few batches, because each batch recomputes all overlapping plays', () => {
    const fold = allProjections.find(({ name }) => name === 'coffee')!.createFold();
    let people = 0;
    const isFull = () => fold.pending.rows >= liveBatchLimits.rows || fold.pending.bytes >= liveBatchLimits.bytes;
    while (people < 400 && !isFull()) fold.apply(detected((people += 1)));
    expect(people).to.be.greaterThan(300);
    expect(fold.pending.bytes, 'and the batch stays bounded').to.be.lessThan(2 * liveBatchLimits.bytes);
    const { inserts } = fold.seal({ after: 0n, upTo: BigInt(people) });
    expect(inserts.map(({ table, batch }) => [table.name, batch.rows])).to.have.deep.members([
      ['detections', people],
      ['detection_spans', people * 288],
    ]);
  });
});
