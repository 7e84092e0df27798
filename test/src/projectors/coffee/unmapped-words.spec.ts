import { DetectionRecorded, PopRecorded } from '@popsvc/contracts/events';
import type { LogEvent } from '@popsvc/platform/event-store';
import { allProjections } from '@popsvc/projectors/projections';
import { expect } from 'chai';

const event = (position: bigint, type: string, data: object): LogEvent => ({
  id: String(position),
  stream: 'test',
  revision: position,
  position,
  recordedAtMs: 0,
  type,
  data,
  metadata: { schemaVersion: 1, receivedAt: '2026-08-20T14:00:00.000Z', network: 1, vendor: 'acme' },
});

describe('words outside the vocabularies', () => {
  it('are counted by vocabulary for each batch', () => {
    const fold = allProjections.find(({ name }) => name === 'coffee')!.createFold();
    fold.apply(event(1n, PopRecorded.type, { ...PopRecorded.example, startReason: 'zzz' }));
    fold.apply(event(2n, PopRecorded.type, { ...PopRecorded.example, startReason: 'scheduled' }));
    const odd = { ...DetectionRecorded.example, gender: 'robot', mood: 'angry', ageCategory: 'weird' };
    fold.apply(event(3n, DetectionRecorded.type, odd));
    fold.apply(event(4n, DetectionRecorded.type, { ...odd, mood: 'happy' }));
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
