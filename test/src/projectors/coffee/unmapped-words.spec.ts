import { DetectionsRecorded, PlaysRecorded } from '@popsvc/contracts/events';
import type { LogItem } from '@popsvc/projectors/engine';
import { allProjections } from '@popsvc/projectors/projections';
import { expect } from 'chai';

const item = (sequence: bigint, type: string, data: object): LogItem => ({
  sequence,
  stream: 'test',
  revision: sequence,
  eventId: String(sequence),
  recordedAtMs: 0,
  type,
  data,
  metadata: { schemaVersion: 1, receivedAt: '2026-08-20T14:00:00.000Z', network: 1, vendor: 'acme' },
});

describe('words outside the vocabularies', () => {
  it('are counted by vocabulary for each batch', () => {
    const fold = allProjections.find(({ name }) => name === 'coffee')!.createFold();
    const [play] = PlaysRecorded.example.plays;
    fold.apply(item(1n, PlaysRecorded.type, { ...play, startReason: 'zzz' }));
    fold.apply(item(2n, PlaysRecorded.type, { ...play, startReason: 'scheduled' }));
    const odd = { ...DetectionsRecorded.example.detections[0], gender: 'robot', mood: 'angry', ageCategory: 'weird' };
    fold.apply(item(3n, DetectionsRecorded.type, odd));
    fold.apply(item(4n, DetectionsRecorded.type, { ...odd, mood: 'happy' }));
    const counts = fold.seal({ after: 0n, upTo: 4n }).unmapped;
    expect([...(counts ?? [])].sort()).to.deep.equal([
      ['age_category', 2],
      ['gender', 2],
      ['mood', 1],
      ['play_reason', 1],
    ]);
    expect([...(fold.seal({ after: 4n, upTo: 4n }).unmapped ?? [])]).to.deep.equal([]);
  });
});
