import { type EventPublisher, createNatsPublisher } from '@popsvc/platform/message-bus';
import { expect } from 'chai';
import { hasNats, startTestNats, natsProgram, type TestNats } from '../support/engines.ts';
import { describeIfInstalled } from '../support/required-binary.ts';
import { type Patient, patient } from './doctor.fixture.ts';

describeIfInstalled(natsProgram, hasNats, 'doctor, of NATS', () => {
  let system: Patient;
  let server: TestNats;
  const feeds: EventPublisher[] = [];
  const feedOf = (url: string) => {
    const feed = createNatsPublisher({ url, name: 'doctor' });
    feeds.push(feed);
    return feed;
  };
  const found = async (feed: EventPublisher) => (await system.examined({ bus: () => feed.readStatus() }))['nats']!;

  before(async () => {
    [system, server] = await Promise.all([patient(), startTestNats()]);
  });
  after(async () => {
    await Promise.all(feeds.map((feed) => feed.close()));
    await server.stop();
    await system.close();
  });

  it('finds streams that are missing, and those that are there', async () => {
    const feed = feedOf(server.url);
    expect(await found(feed)).to.include({
      outcome: 'warning',
      found: 'streams are missing: popsvc_events, popsvc_dead',
    });
    await feed.publish([]);
    expect(await found(feed)).to.include({ outcome: 'ok' });
    expect((await found(feed)).found).to.include('popsvc_events holds 0 messages');
  });

  it('tells a wrong password from a server that is away', async () => {
    const url = new URL(server.url);
    url.password = 'a-wrong-password';
    const refused = await found(feedOf(url.href));
    expect(refused).to.include({ outcome: 'failed', advice: 'Check user and password in NATS_URL.' });
    expect(refused.found).to.match(/^nats refuses our login/);
    expect(refused.found).to.not.include('a-wrong-password');

    const feed = feedOf(server.url);
    await server.stop();
    const away = await found(feed);
    expect(away.found).to.match(/^nats cannot be reached/);
    expect(away.advice).to.include('NATS_URL');
    await server.start();
    expect((await found(feed)).outcome).to.equal('ok');
  });

  it('finds a server without JetStream', async () => {
    const bare = await startTestNats([], { jetStream: false });
    const { outcome, found: text, advice } = await found(feedOf(bare.url));
    expect([outcome, text.includes('without JetStream')]).to.deep.equal(['failed', true]);
    expect(advice).to.include('--jetstream');
    await bare.stop();
  });
});
