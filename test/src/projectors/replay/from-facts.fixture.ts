import { streamPrefixes } from '@popsvc/contracts/events';
import { findReplay, planReplay } from '@popsvc/platform/postgres';
import type { PlanStatement, Projection, RecomputePlan, TemporaryTable } from '@popsvc/projectors/engine';
import { type ReplayDependencies, runReplay } from '@popsvc/projectors/engine/replay';
import { expect } from 'chai';
import { listEvent } from '../../support/list-events.ts';
import { readTables } from '../rebuild.fixture.ts';
import { projectionNamed, type ReplaySystem, startReplaySystem } from './replay-system.fixture.ts';

/** Rounds of events that a system starts with. */
export const rounds = 3;
const otherNetworks = [2, 3, 4, 9];
/** Units with few facts, so that a replay has several of them. */
const limits = { rows: 10, bytes: 1e6, ageMs: 10, maxWindowRows: 5 };

/** An event that every version of coffee parks. */
const poisonous = (): [string, object] => {
  const { type, data } = listEvent('PlaysRecorded', { eventId: 7 });
  return [type, data];
};

/** Starts a system with facts of several networks and months, and with a parked event. */
export const startWithFacts = async (of: readonly string[]): Promise<ReplaySystem> => {
  const system = await startReplaySystem({ of });
  for (let round = 0; round < rounds; round += 1) await system.appendRound(round);
  for (const network of otherNetworks)
    for (const day of ['03', '18', '19'])
      await system.play({ eventId: `${network}-${day}`, playedAt: `2026-08-${day}T10:00:00.000Z` }, { network });
  await system.play({ eventId: 'in-july', playedAt: '2026-07-31T23:59:59.000Z' });
  await system.append('pop-1-acme-2026-08-20', ...poisonous());
  for (const name of of) if (name !== 'registry') await system.waitUntilCaughtUp(name, [1]);
  return system;
};

export const sourceOf = (system: ReplaySystem, owner = 'one'): ReplayDependencies => ({
  ...system.dependenciesOf(owner),
  limits,
});

export const countFacts = async (system: ReplaySystem, table: string): Promise<number> => {
  const [row] = await system.writer.rows<{ rows: number }>(`SELECT toUInt32(count()) AS rows FROM ${table} FINAL`);
  return row!.rows;
};

/** Coffee whose derivation was changed: another reason of all plays of network 1. */
export const changedCoffee = (): Projection => {
  const coffee = projectionNamed('coffee');
  const plan = coffee.recomputePlan!;
  const changed = (text: string) => text.replace('p.play_reason AS', `if(p.network_id = 1, 'other', p.play_reason) AS`);
  const changeRun = (run: PlanStatement['run']): PlanStatement['run'] =>
    typeof run === 'string' ? changed(run) : { ...run, sql: changed(run.sql) };
  const change = (statement: string | TemporaryTable | PlanStatement) =>
    typeof statement === 'object' && 'run' in statement
      ? { ...statement, run: changeRun(statement.run) }
      : changeRun(statement);
  const statements: RecomputePlan['statements'] = (...args) => plan.statements(...args).map(change);
  return { ...coffee, version: coffee.version + 1, factsVersion: 1, recomputePlan: { ...plan, statements } };
};

/** Runs a replay of a changed coffee from its facts. */
export const replayChanged = async (system: ReplaySystem, changed: Projection, parts = sourceOf(system)) => {
  const { version } = changed;
  const from = { source: 'facts', reason: 'test' } as const;
  const replay = (await planReplay(system.postgres, { projection: 'coffee', version, verify: true, from }))!;
  await runReplay({ ...parts, projections: [changed] }, replay, changed, new AbortController().signal);
  return (await findReplay(system.postgres, replay.id))!;
};

export const countProbesAfter = async ({ store }: ReplaySystem, after: bigint): Promise<number> => {
  const prefixes = [streamPrefixes.probe];
  const upTo = await store.readHeadPosition();
  let probes = 0;
  const { signal } = new AbortController();
  for await (const { kind } of store.subscribe({ after, prefixes, upTo, signal })) probes += Number(kind === 'event');
  return probes;
};

/** Replays a projection for the first time, from the facts of a table, and compares the rows of all its tables. */
export const expectSameRows = async (system: ReplaySystem, name: string, table: string): Promise<void> => {
  const before = await readTables(system, 1, name);
  const facts = await countFacts(system, `${table}_g1`);
  const head = await system.store.readHeadPosition();
  const replay = await system.runReplay(await system.plan(name, true, 'facts'), sourceOf(system));
  const { state, verified, differences, error, events, total } = replay;
  expect({ state, verified, differences, error }).to.deep.equal({
    state: 'done',
    verified: true,
    differences: [],
    error: null,
  });
  // No event was folded.
  expect(total).to.equal(facts);
  // The pauses append probes. No other event was folded.
  expect(events).to.be.within(facts, facts + (await countProbesAfter(system, head)));
  expect(await system.generations(name)).to.deep.equal({ 1: 'kept', 2: 'live' });
  const after = await readTables(system, 2, name);
  const pending = projectionNamed(name).derived!.pending.name;
  for (const table of Object.keys(before))
    if (table !== pending) expect(after[table], table).to.deep.equal(before[table]);
  expect(after[pending]).to.deep.equal([]);
};
