import { expect } from 'chai';
import { smallRegistry } from '../../support/small-registry.ts';
import { at, coffeeSystem } from './coffee.fixture.ts';

const {
  feeders: [feeder],
  cameras: [camera],
} = smallRegistry;

describe('the population of plays without audience', () => {
  const coffee = coffeeSystem();

  const play = (eventId = 'P', more: object = {}) => coffee.system.play({ eventId, playedAt: at(0), ...more });
  const beat = (seconds: number, feederId = 5) => coffee.system.heartbeat({ feederId, at: at(seconds) });
  const project = () => coffee.system.projectOne('coffee');
  const runSteps = async (...steps: (() => Promise<unknown>)[]) => {
    for (const step of steps) {
      await step();
      await project();
    }
  };
  const types = async () => (await coffee.rows()).map((row) => [row['EVENT_ID'], row['POP_TYPE']]);
  /** A second device, and the feeder with its camera at one of the two devices from an instant on. */
  const move = (device: number, effectiveFrom: string) => ({
    devices: [{ id: 40, name: 'Other', location: 3, screen_ids: ['screen-2'] }],
    feeders: [{ ...feeder, device, effective_from: effectiveFrom }],
    cameras: [{ ...camera, device, effective_from: effectiveFrom }],
  });

  it('is NONE with a feeder online and UNMEASURED without, whichever event comes first', async () => {
    await runSteps(
      () => play('before'),
      () => beat(3),
      () => play('after'),
    );
    expect(await types()).to.have.deep.members([
      ['before', 'NONE'],
      ['after', 'NONE'],
    ]);
  });

  it('is NONE for a heartbeat from five minutes before the play until its end', async () => {
    const edges = [-300.001, -300, 9.999, 10];
    await coffee.system.register({
      devices: edges.map((_, index) => ({
        id: 40 + index,
        name: `Device ${index}`,
        location: 3,
        screen_ids: [`edge-${index}`],
      })),
      feeders: edges.map((_, index) => ({ id: 50 + index, name: `Feeder ${index}`, device: 40 + index })),
    });
    await runSteps(
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

  it('ignores heartbeats of the device itself and of feeders of other devices', async () => {
    await coffee.system.register({
      devices: [{ id: 40, name: 'Other', location: 3, screen_ids: ['screen-2'] }],
      feeders: [{ id: 50, name: 'Other feed', device: 40 }],
    });
    await play();
    await beat(0, 50);
    await coffee.system.heartbeat({ deviceId: 4, at: at(0) });
    await coffee.system.heartbeat({ deviceId: 4, appCode: 'player', state: 'running', at: at(0) });
    await project();
    expect(await types()).to.deep.equal([['P', 'UNMEASURED']]);
  });

  it('becomes NONE for old plays by a backfilled heartbeat between earlier ones', async () => {
    await runSteps(
      () => Promise.all([beat(-2_000), beat(2_000)]),
      () => Promise.all([play('long', { playedAt: at(-1_690), durationMs: 2_600_000 }), play('short')]),
    );
    expect(await types()).to.deep.equal([
      ['long', 'UNMEASURED'],
      ['short', 'UNMEASURED'],
    ]);
    await runSteps(() => beat(-100));
    expect(await types()).to.deep.equal([
      ['long', 'NONE'],
      ['short', 'NONE'],
    ]);
  });

  it('is replaced by a detection, and returns when a revision moves the detection away', async () => {
    await runSteps(
      () => Promise.all([play(), beat(0)]),
      () => coffee.person({ startedAt: at(0), endedAt: at(5), watches: [] }),
    );
    expect(await types()).to.deep.equal([['P', 'VIEWER']]);
    await runSteps(() => coffee.person({ revision: 1, startedAt: at(50), endedAt: at(55), watches: [] }));
    expect(await types()).to.deep.equal([['P', 'NONE']]);
  });

  it('changes no other column of the row', async () => {
    await runSteps(() => play());
    const [before] = await coffee.rows();
    await runSteps(() => beat(0));
    const [after] = await coffee.rows();
    expect({ ...after, SILVER_STAGE_TIMESTAMP: '' }).to.deep.equal({
      ...before,
      POP_TYPE: 'NONE',
      SILVER_STAGE_TIMESTAMP: '',
    });
  });

  it('follows the device that the feeder belonged to at the start of the play', async () => {
    await play('left');
    await play('joined', { screenId: 'screen-2', playedAt: at(20) });
    await beat(5);
    await project();
    await coffee.system.register(move(40, at(15)));
    await project();
    const both = [
      ['left', 'NONE'],
      ['joined', 'NONE'],
    ];
    expect(await types()).to.deep.equal(both);
    await coffee.system.register(move(40, at(-10)));
    await project();
    expect(await types(), 'moved before either began').to.deep.equal([['left', 'UNMEASURED'], both[1]]);
  });

  it('is corrected at both devices when a wrong move of a feeder is corrected', async () => {
    await coffee.system.register(move(40, at(-10)));
    await play('here');
    await play('there', { screenId: 'screen-2', playedAt: at(1) });
    await beat(0);
    await project();
    expect(await types()).to.deep.equal([
      ['here', 'UNMEASURED'],
      ['there', 'NONE'],
    ]);
    await coffee.system.writer.run('OPTIMIZE TABLE feeder_places_g1 FINAL');
    await coffee.system.register(move(4, at(-10)));
    await project();
    expect(await types()).to.deep.equal([
      ['here', 'NONE'],
      ['there', 'UNMEASURED'],
    ]);
  });

  it('is the same when the feeder and the screen are registered after the play', async () => {
    await play('P', { screenId: 'screen-2' });
    await beat(0, 50);
    await project();
    await coffee.system.register({
      devices: [{ id: 40, name: 'Other', location: 3 }],
      feeders: [{ id: 50, name: 'Other feed', device: 40 }],
    });
    await project();
    expect(await types()).to.deep.equal([['P', 'UNMEASURED']]);
    await coffee.system.register({ devices: [{ id: 40, name: 'Other', location: 3, screen_ids: ['screen-2'] }] });
    await project();
    expect(await types()).to.deep.equal([['P', 'NONE']]);
    await play('Q', { screenId: 'screen-3' });
    await beat(1, 51);
    await project();
    await coffee.system.register({ devices: [{ id: 41, name: 'Third', location: 3, screen_ids: ['screen-3'] }] });
    await project();
    await coffee.system.register({ feeders: [{ id: 51, name: 'Third feed', device: 41 }] });
    await project();
    expect(await types()).to.have.deep.members([
      ['P', 'NONE'],
      ['Q', 'NONE'],
    ]);
  });

  it('ignores a retired feeder', async () => {
    await play('before');
    await play('after', { playedAt: at(30) });
    await beat(5);
    await coffee.system.register({ feeders: [{ ...feeder, retired: true, effective_from: at(20) }] });
    await project();
    expect(await types()).to.deep.equal([
      ['before', 'NONE'],
      ['after', 'UNMEASURED'],
    ]);
  });
});
