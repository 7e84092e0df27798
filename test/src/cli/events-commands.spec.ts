import { expect } from 'chai';
import { sendEvents, type SentEvents } from '../ops-api/events.fixture.ts';
import { playOf } from '../query-api/event-status.fixture.ts';
import type { Popsvc } from '@popsvc/tools/rig';
import { popsvcFor } from './popsvc.fixture.ts';

describe('popsvc events', function () {
  let sent: SentEvents;
  let popsvc: Popsvc;
  before(async () => {
    sent = await sendEvents();
    popsvc = popsvcFor({ baseUrl: sent.system.opsUrl });
  });
  after(() => sent.system.close());

  const expectFailure = async (code: number, reason: string, ...args: string[]) => {
    const ran = await popsvc('events', ...args);
    expect([ran.code, ran.stdout]).to.deep.equal([code, '']);
    expect(ran.stderr).to.include(reason);
  };

  it('prints events, conflicts, quarantine and balance as text', async () => {
    const shown = (await popsvc('events', 'show', 'sent-twice', '--network', '1')).stdout;
    expect(shown).to.match(/^acme in network 1: projected into 1 coffee rows \(UNMEASURED\) at /);
    expect(shown).to.include('received 3: 1 stored, 1 duplicate, 1 conflict, 0 quarantined');
    expect(shown)
      .to.match(/^RECEIVED_AT +OUTCOME/m)
      .and.to.match(/"durationMs": 11000/);
    expect((await popsvc('events', 'conflicts')).stdout)
      .to.match(/^durationMs +10000 +11000$/m)
      .and.to.match(/^context +- +\{"slot":3\}$/m);
    expect((await popsvc('events', 'quarantine')).stdout).to.match(/^1 +no_mapping +1 +acme +own-2 /m);
    expect((await popsvc('events', 'balance')).stdout).to.match(/^total +- +- +12 +5 +2 +3 +2 /m);
    for (const list of ['balance', 'conflicts', 'quarantine'])
      await expectFailure(1, 'there is no vendor unknown in the registry', list, '--vendor', 'unknown');
    const unknown = await popsvc('events', 'unknown-references', '--vendor', 'gamma', '--limit', '1');
    expect(unknown.stdout).to.match(/^2 +gamma +campaignId +C-100 +2 /m);
    expect(unknown.stderr).to.include('There are more ids');
    expect((await popsvc('events', 'refusals')).stdout).to.match(/^No request of a vendor was refused since /);
    const registered = await popsvc('events', 'unknown-references', '--network', '1');
    expect(registered.stdout).to.match(/^All ids in plays since .* are registered\./);
    const later = ['--vendor', 'acme', '--since', '2999-01-01T00:00:00Z'];
    expect((await popsvc('events', 'conflicts', ...later)).stdout).to.match(/^There are no conflicts since /);
    expect((await popsvc('events', 'balance', ...later)).stdout).to.include('No events were received in this period.');
    const unused = (await popsvc('events', 'quarantine', '--schema-version', 'never-1')).stdout;
    expect(unused).to.include('No events are quarantined.');
  });

  it('prints the responses of the operations server as JSON', async () => {
    const expectSame = async (path: string, ...args: readonly string[]) => {
      const { code, stdout, stderr } = await popsvc('events', ...args, '--json');
      expect(code, stderr).to.equal(0);
      expect(JSON.parse(stdout), args.join(' ')).to.deep.equal(await sent.get(path));
    };
    await expectSame('/events?id=kept&vendor=acme&network=1', 'show', 'kept', '--vendor', 'acme', '--network', '1');
    const since = '2026-01-01T00:00:00+01:00';
    const query = `since=${encodeURIComponent(since)}&network=1&limit=1`;
    await expectSame(`/conflicts?${query}`, 'conflicts', '--since', since, '--network', '1', '--limit', '1');
    await expectSame(`/refusals?${query}`, 'refusals', '--since', since, '--network', '1', '--limit', '1');
    await expectSame('/quarantine?schema_version=own-1', 'quarantine', '--schema-version', 'own-1');
    const day = new Date(Date.now() - 86_400_000).toISOString();
    const end = '2999-01-01T00:00:00Z';
    await expectSame(
      `/unknown-references?network=2&from=${day}&limit=2`,
      ...['unknown-references', '--network', '2', '--from', day, '--limit', '2'],
    );
    await expectFailure(1, 'from must be 31 days before to at most', 'unknown-references', '--from', day, '--to', end);
    await expectSame(
      `/balance?${query}&until=2999-01-01T00:00:00Z`,
      'balance',
      '--since',
      since,
      '--network',
      '1',
      '--limit',
      '1',
      '--until',
      '2999-01-01T00:00:00Z',
    );
  });

  it('accepts an id that begins with a dash after --', async () => {
    await sent.acme('/pop/events', { events: [playOf('-x')] });
    await sent.system.project();
    expect((await popsvc('events', 'show', '--', '-x')).stdout).to.include('"eventId": "-x"');
  });

  it('exits with 1 for a rejection and 2 for wrong usage', async () => {
    await expectFailure(1, 'There is no event "unknown"', 'show', 'unknown');
    await expectFailure(1, 'There is no event "mine"', 'show', 'mine', '--vendor', 'acme');
    await expectFailure(
      1,
      'vendor must be 2 to 32 lower-case letters and digits, a letter first',
      'conflicts',
      '--vendor',
      'A B',
    );
    await expectFailure(2, "missing required argument 'event-id'", 'show');
    await expectFailure(2, 'must be a whole number', 'quarantine', '--limit', '0');
    await expectFailure(2, 'must be an ISO 8601 timestamp', 'balance', '--since', 'yesterday');
  });
});
