import {
  applyRecordedChange,
  type LivenessChange,
  applyReceipt,
  type Liveness,
  readLivenessChange,
  toLivenessEvent,
  applySilence,
} from '@popsvc/domain/status';
import { expect } from 'chai';
import fc from 'fast-check';
import { runs } from './runs.ts';

const online = (sinceMs: number, lastReceivedMs = sinceMs): Liveness => ({ status: 'online', sinceMs, lastReceivedMs });
const offline = (sinceMs: number, lastReceivedMs = sinceMs - 300_000): Liveness => ({
  status: 'offline',
  sinceMs,
  lastReceivedMs,
});
const wentOnline = (onlineAtMs: number, offlineSinceMs: number | null): LivenessChange => ({
  status: 'online',
  onlineAtMs,
  offlineSinceMs,
});
const wentOffline = (offlineAtMs: number): LivenessChange => ({
  status: 'offline',
  offlineAtMs,
  lastReceivedMs: offlineAtMs - 300_000,
});

describe('liveness at a heartbeat', () => {
  const then = (was: Liveness | undefined, receivedMs: number, is: Liveness, ...changes: LivenessChange[]) =>
    expect(applyReceipt(was, receivedMs)).to.deep.equal({ state: is, changes });

  it('goes online at the first one', () => {
    then(undefined, 1_000, online(1_000), wentOnline(1_000, null));
  });

  it('stays online within 300 s', () => {
    then(online(1_000), 301_000, online(1_000, 301_000));
  });

  it('was offline from 300 s after the last receipt if the next one comes later', () => {
    then(online(1_000), 301_001, online(301_001), wentOffline(301_000), wentOnline(301_001, 301_000));
  });

  it('goes online if it was offline', () => {
    then(offline(301_000), 500_000, online(500_000), wentOnline(500_000, 301_000));
  });

  it('does not change at an older receipt', () => {
    then(online(1_000, 61_000), 31_000, online(1_000, 61_000));
    then(online(900_000, 900_000), 1_000, online(900_000, 900_000));
    then(offline(301_000), 1_000, offline(301_000));
  });

  it('ends an outage at its beginning for a receipt before the outage', () => {
    then(offline(301_000), 1_001, online(301_000, 1_001), wentOnline(301_000, 301_000));
    then(offline(301_000), 301_000, online(301_000, 301_000), wentOnline(301_000, 301_000));
  });
});

describe('liveness without heartbeats', () => {
  it('is online for 300 s, then goes offline once', () => {
    expect(applySilence(online(1_000), 301_000)).to.deep.equal({ state: online(1_000), changes: [] });
    expect(applySilence(online(1_000), 900_000)).to.deep.equal({
      state: offline(301_000),
      changes: [wentOffline(301_000)],
    });
    expect(applySilence(offline(301_000), 9_000_000)).to.deep.equal({ state: offline(301_000), changes: [] });
  });
});

describe('liveness for any heartbeats in any order', () => {
  const receipts = fc.array(
    fc.integer({ min: 0, max: 40 }).map((tens) => tens * 100_000),
    { minLength: 1, maxLength: 12 },
  );
  /** Whether the liveness is swept after each receipt. */
  const sequences = receipts.chain((all) =>
    fc.tuple(fc.constant(all), fc.array(fc.boolean(), { minLength: all.length, maxLength: all.length })),
  );

  it('has outages in order that do not overlap', () => {
    fc.assert(
      fc.property(sequences, ([all, swept]) => {
        let is: Liveness | undefined;
        const changes: LivenessChange[] = [];
        all.forEach((receivedMs, index) => {
          const step = applyReceipt(is, receivedMs);
          const then = swept[index]
            ? applySilence(step.state, Math.max(...all.slice(0, index + 1)) + 300_001)
            : { state: step.state, changes: [] };
          changes.push(...step.changes, ...then.changes);
          is = then.state;
        });
        expect(is!.lastReceivedMs).to.equal(Math.max(...all));
        let since: number | undefined = Infinity;
        let ended = -Infinity;
        for (const change of changes)
          if (change.status === 'online') {
            expect(change.offlineSinceMs).to.equal(since === Infinity ? null : since);
            expect(change.onlineAtMs).to.be.at.least(change.offlineSinceMs ?? 0);
            [since, ended] = [undefined, change.onlineAtMs];
          } else {
            expect(since).to.equal(undefined);
            expect(change.offlineAtMs).to.be.greaterThan(ended);
            since = change.offlineAtMs;
          }
      }),
      runs(500),
    );
  });

  it('has the same state when it is folded from recorded changes', () => {
    fc.assert(
      fc.property(receipts, fc.constantFrom('device' as const, 'feeder' as const), (all, kind) => {
        let [is, again]: (Liveness | undefined)[] = [];
        for (const receivedMs of all) {
          const step = applyReceipt(is, receivedMs);
          is = step.state;
          for (const change of step.changes) {
            const { type, data } = toLivenessEvent({ kind, id: 7 }, change);
            const read = readLivenessChange(type, data);
            expect(read).to.deep.equal({ subject: { kind, id: 7 }, change });
            again = applyRecordedChange(again, read!.change);
          }
        }
        expect(again).to.include({ status: is!.status, sinceMs: is!.sinceMs });
        expect(again!.lastReceivedMs).to.be.at.most(is!.lastReceivedMs);
      }),
      runs(300),
    );
  });
});
