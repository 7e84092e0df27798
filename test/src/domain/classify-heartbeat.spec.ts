import { onlineWindowMs, promptAppendMs, classifyHeartbeat } from '@popsvc/domain/status';
import { instantOf } from '@popsvc/contracts/time';
import { expect } from 'chai';

const receivedMs = Date.parse('2026-08-20T14:00:00.000Z');

describe('a heartbeat', () => {
  const classify = (aheadMs: number, recordedMs = receivedMs, of: object = { deviceId: 4 }) =>
    classifyHeartbeat({ ...of, at: instantOf(receivedMs + aheadMs) }, { receivedMs, recordedMs });
  const counts = { countedMs: receivedMs, backfilledMs: undefined };

  it('counts for its device, also if it is of an app; one of a feeder counts for the feeder only', () => {
    expect(classify(0)).to.deep.equal({ kind: 'device', id: 4, ...counts });
    expect(classify(0, receivedMs, { deviceId: 4, appCode: 'player', state: 'stopped' })).to.deep.equal(classify(0));
    expect(classify(0, receivedMs, { feederId: 4 })).to.deep.equal({ kind: 'feeder', id: 4, ...counts });
  });

  it('counts within 300 s of its receipt, on either side', () => {
    expect(onlineWindowMs).to.equal(300_000);
    for (const ms of [-300_000, -299_999, 299_999, 300_000]) expect(classify(ms), `${ms}`).to.include(counts);
  });

  it('corrects history if it is older, and is ignored if its clock is further ahead', () => {
    const older = { countedMs: undefined, backfilledMs: receivedMs - 300_001 };
    expect(classify(-300_001)).to.include(older);
    expect(classify(300_001)).to.include({ countedMs: undefined, backfilledMs: undefined });
  });

  it('corrects history too if it was appended long after its receipt', () => {
    expect(classify(-200_000, receivedMs + promptAppendMs)).to.include(counts);
    expect(classify(-200_000, receivedMs + promptAppendMs + 1)).to.include({
      countedMs: receivedMs,
      backfilledMs: receivedMs,
    });
  });
});
