import { expect } from 'chai';
import { smallRegistry } from '../support/small-registry.ts';
import { at, coffeeHouse } from './coffee.fixture.ts';

const {
  feeders: [feeder],
  cameras: [camera],
} = smallRegistry;

describe('coffee: NONE against UNMEASURED', () => {
  const coffee = coffeeHouse();

  const play = (eventId = 'P', more: object = {}) => coffee.house.play({ eventId, playedAt: at(0), ...more });
  const beat = (seconds: number, feederId = 5) => coffee.house.heartbeat({ feederId, at: at(seconds) });
  const project = () => coffee.house.projectOne('coffee');
  const tell = async (...steps: (() => Promise<unknown>)[]) => {
    for (const step of steps) {
      await step();
      await project();
    }
  };
  const types = async () => (await coffee.rows()).map((row) => [row['EVENT_ID'], row['POP_TYPE']]);
  /** A second device, and the feeder with its camera on one of the two from an instant on. */
  const move = (device: number, effectiveFrom: string) => ({
    devices: [{ id: 40, name: 'Other', location: 3, screen_ids: ['screen-2'] }],
    feeders: [{ ...feeder, device, effective_from: effectiveFrom }],
    cameras: [{ ...camera, device, effective_from: effectiveFrom }],
  });

  it('tells nobody there from nobody looking out, whichever comes first', async () => {
    await tell(
      () => play('before'),
      () => beat(3),
      () => play('after'),
    );
    expect(await types()).to.have.deep.members([
      ['before', 'NONE'],
      ['after', 'NONE'],
    ]);
  });

  it('asks for a heartbeat from five minutes before the play until its end', async () => {
    const edges = [-300.001, -300, 9.999, 10];
    await coffee.house.register({
      devices: edges.map((_, index) => ({
        id: 40 + index,
        name: `Device ${index}`,
        location: 3,
        screen_ids: [`edge-${index}`],
      })),
      feeders: edges.map((_, index) => ({ id: 50 + index, name: `Feeder ${index}`, device: 40 + index })),
    });
    await tell(
      async () => {
        for (const index of edges.keys()) await play(`edge-${index}`, { screenId: `edge-${index}` });
      },
      async () => {
        for (const [index, seconds] of edges.entries()) await beat(seconds, 50 + index);
      },
    );
    expect(await types()).to.have.deep.members([
      ['edge-0', 'UNMEASURED'],
      ['edge-1', 'NONE'],
      ['edge-2', 'NONE'],
      ['edge-3', 'UNMEASURED'],
    ]);
  });

  it('looks at nothing but feeders of the device: not its own heartbeats, not those of another', async () => {
    await coffee.house.register({
      devices: [{ id: 40, name: 'Other', location: 3, screen_ids: ['screen-2'] }],
      feeders: [{ id: 50, name: 'Other feed', device: 40 }],
    });
    await play();
    await beat(0, 50);
    await coffee.house.heartbeat({ deviceId: 4, at: at(0) });
    await coffee.house.heartbeat({ deviceId: 4, appCode: 'player', state: 'running', at: at(0) });
    await project();
    expect(await types()).to.deep.equal([['P', 'UNMEASURED']]);
  });

  it('repairs plays of long ago by a backfilled heartbeat, between others that were there', async () => {
    await tell(
      () => Promise.all([beat(-2_000), beat(2_000)]),
      () => Promise.all([play('long', { playedAt: at(-1_690), durationMs: 2_600_000 }), play('short')]),
    );
    expect(await types()).to.deep.equal([
      ['long', 'UNMEASURED'],
      ['short', 'UNMEASURED'],
    ]);
    await tell(() => beat(-100));
    expect(await types()).to.deep.equal([
      ['long', 'NONE'],
      ['short', 'NONE'],
    ]);
  });

  it('gives way to a person, and comes back when the person is told elsewhere', async () => {
    await tell(
      () => Promise.all([play(), beat(0)]),
      () => coffee.person({ startedAt: at(0), endedAt: at(5), watches: [] }),
    );
    expect(await types()).to.deep.equal([['P', 'VIEWER']]);
    await tell(() => coffee.person({ revision: 1, startedAt: at(50), endedAt: at(55), watches: [] }));
    expect(await types()).to.deep.equal([['P', 'NONE']]);
  });

  it('looks like a play nobody measured in everything else', async () => {
    await tell(() => play());
    const [before] = await coffee.rows();
    await tell(() => beat(0));
    const [after] = await coffee.rows();
    expect({ ...after, SILVER_STAGE_TIMESTAMP: '' }).to.deep.equal({
      ...before,
      POP_TYPE: 'NONE',
      SILVER_STAGE_TIMESTAMP: '',
    });
  });

  it('uses the device the feeder belonged to when the play began', async () => {
    await play('left');
    await play('joined', { screenId: 'screen-2', playedAt: at(20) });
    await beat(5);
    await project();
    await coffee.house.register(move(40, at(15)));
    await project();
    const both = [
      ['left', 'NONE'],
      ['joined', 'NONE'],
    ];
    expect(await types()).to.deep.equal(both);
    await coffee.house.register(move(40, at(-10)));
    await project();
    expect(await types(), 'moved before either began').to.deep.equal([['left', 'UNMEASURED'], both[1]]);
  });

  it('forgets a feeder whose move was told wrongly at the device it never was at', async () => {
    await coffee.house.register(move(40, at(-10)));
    await play('here');
    await play('there', { screenId: 'screen-2', playedAt: at(1) });
    await beat(0);
    await project();
    expect(await types()).to.deep.equal([
      ['here', 'UNMEASURED'],
      ['there', 'NONE'],
    ]);
    await coffee.house.writer.run('OPTIMIZE TABLE feeder_places_g1 FINAL');
    await coffee.house.register(move(4, at(-10)));
    await project();
    expect(await types()).to.deep.equal([
      ['here', 'NONE'],
      ['there', 'UNMEASURED'],
    ]);
  });

  it('learns of a feeder and of a screen later, as if always known', async () => {
    await play('P', { screenId: 'screen-2' });
    await beat(0, 50);
    await project();
    await coffee.house.register({
      devices: [{ id: 40, name: 'Other', location: 3 }],
      feeders: [{ id: 50, name: 'Other feed', device: 40 }],
    });
    await project();
    expect(await types()).to.deep.equal([['P', 'UNMEASURED']]);
    await coffee.house.register({ devices: [{ id: 40, name: 'Other', location: 3, screen_ids: ['screen-2'] }] });
    await project();
    expect(await types()).to.deep.equal([['P', 'NONE']]);
    await play('Q', { screenId: 'screen-3' });
    await beat(1, 51);
    await project();
    await coffee.house.register({ devices: [{ id: 41, name: 'Third', location: 3, screen_ids: ['screen-3'] }] });
    await project();
    await coffee.house.register({ feeders: [{ id: 51, name: 'Third feed', device: 41 }] });
    await project();
    expect(await types()).to.have.deep.members([
      ['P', 'NONE'],
      ['Q', 'NONE'],
    ]);
  });

  it('does not count a feeder that is retired', async () => {
    await play('before');
    await play('after', { playedAt: at(30) });
    await beat(5);
    await coffee.house.register({ feeders: [{ ...feeder, retired: true, effective_from: at(20) }] });
    await project();
    expect(await types()).to.deep.equal([
      ['before', 'NONE'],
      ['after', 'UNMEASURED'],
    ]);
  });
});
