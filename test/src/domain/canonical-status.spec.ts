import { Heartbeat, Interval } from '@popsvc/contracts/commands';
import { HeartbeatsRecorded, IntervalsRecorded } from '@popsvc/contracts/events';
import { toRecordedHeartbeat, toRecordedInterval } from '@popsvc/domain/intake';
import { expect } from 'chai';

describe('a canonical heartbeat', () => {
  const canonical = (sent: object) => toRecordedHeartbeat(Heartbeat.parse(sent));

  it('has its instant in UTC, and a state exactly if it has an app', () => {
    const at = '2026-08-20T16:03:00+02:00';
    const utc = '2026-08-20T14:03:00.000Z';
    expect(canonical({ deviceId: 11, at })).to.deep.equal({ deviceId: 11, at: utc });
    expect(canonical({ feederId: 21, at })).to.deep.equal({ feederId: 21, at: utc });
    expect(canonical({ deviceId: 11, appCode: 'a', at })).to.deep.include({ state: 'running', at: utc });
    expect(canonical({ deviceId: 11, appCode: 'a', state: 'stopped', at })).to.deep.include({ state: 'stopped' });
  });

  it('does not change in a second conversion and fits the schema of the event', () => {
    const once = canonical({ deviceId: 11, appCode: 'a', at: '2026-08-20T14:03Z' });
    expect(canonical(once)).to.deep.equal(once);
    expect(HeartbeatsRecorded.readItem(once, HeartbeatsRecorded.version)).to.deep.equal(once);
  });
});

describe('a canonical interval', () => {
  const canonical = (sent: object) => toRecordedInterval(Interval.parse(sent));
  const least = { deviceId: 11, appCode: 'a', state: 'running', startedAt: '2026-08-20T16:00:00+02:00' };

  it('has null for every missing field', () =>
    expect(canonical(least)).to.deep.equal({
      ...least,
      startedAt: '2026-08-20T14:00:00.000Z',
      endedAt: null,
      lastHeartbeatAt: null,
      revision: 0,
    }));

  it('does not change in a second conversion and fits the schema of the event', () => {
    const closed = { endedAt: '2026-08-20T15:00:00Z', lastHeartbeatAt: '2026-08-20T14:59:00.1Z', revision: 2 };
    const once = canonical({ ...least, ...closed });
    expect(once).to.include({
      endedAt: '2026-08-20T15:00:00.000Z',
      lastHeartbeatAt: '2026-08-20T14:59:00.100Z',
      revision: 2,
    });
    expect(canonical(once)).to.deep.equal(once);
    expect(IntervalsRecorded.readItem(once, IntervalsRecorded.version)).to.deep.equal(once);
  });
});
