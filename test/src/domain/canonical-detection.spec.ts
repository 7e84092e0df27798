import { Detection } from '@popsvc/contracts/commands';
import { DetectionsRecorded } from '@popsvc/contracts/events';
import { toRecordedDetection } from '@popsvc/domain/intake';
import { expect } from 'chai';

describe('a canonical detection', () => {
  const least = {
    detectionId: 'd-1',
    deviceId: 11,
    watcherId: -7,
    startedAt: '2026-08-20T16:00:00+02:00',
    endedAt: '2026-08-20T14:00:20.4999Z',
    watches: [{ startedAt: '2026-08-20T14:00:01Z', endedAt: '2026-08-20T16:00:02+02:00' }],
  };

  it('contains the defaults, and instants in UTC', () =>
    expect(toRecordedDetection(Detection.parse(least))).to.deep.equal({
      detectionId: 'd-1',
      revision: 0,
      deviceId: 11,
      watcherId: -7,
      startedAt: '2026-08-20T14:00:00.000Z',
      endedAt: '2026-08-20T14:00:20.499Z',
      distance: [],
      watches: [{ startedAt: '2026-08-20T14:00:01.000Z', endedAt: '2026-08-20T14:00:02.000Z' }],
      population: 'VIEWER',
    }));

  it('keeps the sent values, the age as text', () => {
    const full = {
      ...least,
      revision: 3,
      feederId: 21,
      cameraId: 31,
      reid: 'r',
      gender: 'F',
      mood: 'x',
      distance: [1.5],
    };
    const sent = Detection.parse({ ...full, age: 34, ageCategory: 'adult', population: 'FOOTFALL' });
    const recorded = toRecordedDetection(sent);
    expect(recorded).to.include({ revision: 3, feederId: 21, cameraId: 31, reid: 'r', gender: 'F', age: '34' });
    expect(recorded).to.include({ ageCategory: 'adult', population: 'FOOTFALL' });
    expect(DetectionsRecorded.itemSchema.parse(recorded)).to.deep.equal(recorded);
  });
});
