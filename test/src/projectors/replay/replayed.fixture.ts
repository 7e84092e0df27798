import { allProjections } from '@popsvc/projectors/projections';
import { expect } from 'chai';
import { readTables } from '../rebuild.fixture.ts';
import { type ReplaySystem, startReplaySystem } from './replay-system.fixture.ts';

export interface ReplayedSystem {
  readonly system: ReplaySystem;
  /** Number of plays that were appended. */
  plays(): number;
  appendRound(): Promise<void>;
  /** The generation that readers use. */
  liveOf(name: string): Promise<number>;
  /** Counts the rows of a table through the view that readers use. */
  countLiveRows(table: string): Promise<number>;
  /** Replays a projection for the first time, and compares its rows. */
  expectRebuilt(name: string): Promise<void>;
}

/** Starts a system with three rounds of events. */
export const startReplayed = async (of = allProjections.map(({ name }) => name)): Promise<ReplayedSystem> => {
  const system = await startReplaySystem({ of });
  let plays = 0;
  const appendRound = async () => {
    plays += 2;
    await system.appendRound(plays);
  };
  for (let round = 0; round < 3; round += 1) await appendRound();
  const countLiveRows = async (table: string) => {
    const [row] = await system.writer.rows<{ rows: number }>(`SELECT toUInt32(count()) AS rows FROM ${table}_live`);
    return row!.rows;
  };
  return {
    system,
    plays: () => plays,
    appendRound,
    liveOf: async (name) =>
      Number(Object.entries(await system.generations(name)).find(([, state]) => state === 'live')![0]),
    countLiveRows,
    async expectRebuilt(name) {
      const { state, from, to, verified, differences, pausedMs, error } = await system.replay(name, true);
      expect({ state, from, to, verified, differences, error }).to.deep.equal({
        state: 'done',
        from: 1,
        to: 2,
        verified: true,
        differences: [],
        error: null,
      });
      expect(pausedMs).to.be.at.least(0);
      expect(await system.generations(name)).to.deep.equal({ 1: 'kept', 2: 'live' });
      const [before, after] = [await readTables(system, 1, name), await readTables(system, 2, name)];
      for (const table of Object.keys(before)) {
        expect(after[table], table).to.deep.equal(before[table]);
        expect(await countLiveRows(table), table).to.equal(after[table]!.length);
      }
    },
  };
};
