import { ensureSchema } from '@popsvc/read-models/generations';
import { measureSlice } from '../harness/process-usage.ts';
import type { Slice } from '../harness/slices.ts';
import { openProjector, findProjection } from '../testbed/projector.ts';
import type { Rig } from '../testbed/testbed.ts';
import { fillPlays, fillRegistry } from '../traffic/fill-log.ts';

export const coffee = findProjection('coffee');

/** Fills a log with events. Returns functions that create new generations of `coffee` and project the whole log into them. */
export const openCoffeeLog = async (rig: Rig, events: number, withPeople: boolean) => {
  const [node, engine, projecting] = [await rig.eventStore(), await rig.clickhouse(), await openProjector(rig)];
  const { store, writer } = projecting;
  await fillRegistry(store);
  const upTo = await fillPlays(store, events, withPeople);
  const pids = { projector: process.pid, store: node.pid, clickhouse: engine.pid };
  let generation = 1;
  /**
   * Creates the tables of a new generation, calls `work` and `inspect` with the generation number, and drops the tables. Measures
   * only `work`.
   */
  const inNewGeneration = async (
    work: (generation: number) => Promise<void>,
    inspect?: (generation: number) => Promise<void>,
  ): Promise<Slice> => {
    const at = (generation += 1);
    await ensureSchema(writer, [{ projection: coffee, generation: at }]);
    const slice = await measureSlice(pids, async () => {
      await work(at);
      return { units: events };
    });
    await inspect?.(at);
    await projecting.drop(coffee, at);
    return slice;
  };
  return {
    url: node.url,
    pids,
    upTo,
    writer,
    inNewGeneration,
    live: (at: number, through = writer) => projecting.run(coffee, at, upTo, through),
    replay: (at: number) => projecting.build(coffee, at, upTo),
    /** Derives the rows from the facts of another generation, which `live` has built. */
    replayFacts: (at: number, from: number) => projecting.derive(coffee, from, at),
  };
};
