import { type EventPublisher, createNatsPublisher } from '@popsvc/platform/message-bus';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { hasNats, startTestNats, natsProgram, type TestNats } from '../support/engines.ts';
import { describeIfInstalled } from '../support/run-conditions.ts';
import { type DiagnosedSystem, startDiagnosedSystem } from './diagnostics.fixture.ts';

describeIfInstalled(natsProgram, hasNats, 'the diagnostics of NATS', () => {
  let system: DiagnosedSystem;
  let server: TestNats;
  const feeds: EventPublisher[] = [];
  const feedOf = (url: string) => {
    const feed = createNatsPublisher({ url, name: 'doctor' });
    feeds.push(feed);
    return feed;
  };
  const found = async (feed: EventPublisher) => (await system.diagnose({ bus: () => feed.readStatus() }))['nats']!;

  before(async () => {
    [system, server] = await Promise.all([startDiagnosedSystem(), startTestNats()]);
  });
  after(async () => {
    await Promise.all(feeds.map((feed) => feed.close()));
    await server.stop();
    await system.close();
  });

  it('report a missing stream, and the contents of an existing one', async () => {
    const feed = feedOf(server.url);
    // A check fails if the server does not answer in time.
    const missing = await waitUntil(
      () => found(feed),
      ({ outcome }) => outcome === 'warning',
    );
    expect(missing.found).to.equal('streams are missing: popsvc_events');
    await feed.publish([]);
    const existing = await waitUntil(
      () => found(feed),
      ({ outcome }) => outcome === 'ok',
    );
    expect(existing.found).to.include('popsvc_events holds 0 messages');
  });

  it('distinguish a wrong password from a server that is down', async () => {
    const url = new URL(server.url);
    url.password = 'a-wrong-password';
    const wrong = feedOf(url.href);
    const refused = await waitUntil(
      () => found(wrong),
      ({ found: text }) => text.startsWith('answers'),
    );
    expect(refused).to.include({ outcome: 'failed', advice: 'Check user and password in NATS_URL.' });
    expect(refused.found).to.match(/^answers and refuses the login/);
    expect(refused.found).to.not.include('a-wrong-password');

    const feed = feedOf(server.url);
    await server.stop();
    const down = await found(feed);
    expect(down.found).to.match(/^cannot be reached/);
    expect(down.advice).to.include('NATS_URL');
    await server.start();
    await waitUntil(
      () => found(feed),
      ({ outcome }) => outcome === 'ok',
    );
  });

  it('report a server without JetStream', async () => {
    const bare = await startTestNats([], { jetStream: false });
    const feed = feedOf(bare.url);
    const {
      outcome,
      found: text,
      advice,
    } = await waitUntil(
      () => found(feed),
      (finding) => finding.found.includes('JetStream'),
    );
    expect([outcome, text.includes('without JetStream')]).to.deep.equal(['failed', true]);
    expect(advice).to.include('--jetstream');
    await bare.stop();
  });
});
