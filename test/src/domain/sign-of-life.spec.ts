import { onlineWindowMs, promptAppendMs, classifyHeartbeat } from '@popsvc/domain/status';
import { instantOf } from '@popsvc/contracts/time';
import { expect } from 'chai';

const receivedMs = Date.parse('2026-08-20T14:00:00.000Z');

describe('what a heartbeat says of whom', () => {
  const sign = (aheadMs: number, recordedMs = receivedMs, of: object = { deviceId: 4 }) =>
    classifyHeartbeat({ ...of, at: instantOf(receivedMs + aheadMs) }, { receivedMs, recordedMs });
  const counts = { countedMs: receivedMs, backfilledMs: undefined };

  it('counts for its device, also when an app is heard, and a feeder for itself alone', () => {
    expect(sign(0)).to.deep.equal({ kind: 'device', id: 4, ...counts });
    expect(sign(0, receivedMs, { deviceId: 4, appCode: 'player', state: 'stopped' })).to.deep.equal(sign(0));
    expect(sign(0, receivedMs, { feederId: 4 })).to.deep.equal({ kind: 'feeder', id: 4, ...counts });
  });

  it('counts within 300 s of its receipt, on either side', () => {
    expect(onlineWindowMs).to.equal(300_000);
    for (const ms of [-300_000, -299_999, 299_999, 300_000]) expect(sign(ms), `${ms}`).to.include(counts);
  });

  it('repairs history when it is older, and says nothing when its clock is further ahead', () => {
    const older = { countedMs: undefined, backfilledMs: receivedMs - 300_001 };
    expect(sign(-300_001)).to.include(older);
    expect(sign(300_001)).to.include({ countedMs: undefined, backfilledMs: undefined });
  });

  it('repairs history as well when it was in the log long after its receipt', () => {
    expect(sign(-200_000, receivedMs + promptAppendMs)).to.include(counts);
    expect(sign(-200_000, receivedMs + promptAppendMs + 1)).to.include({
      countedMs: receivedMs,
      backfilledMs: receivedMs,
    });
  });
});
