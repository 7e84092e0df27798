import { ensureSchema } from '@popsvc/read-models/generations';
import { measure } from '../harness/processes.ts';
import type { Slice } from '../harness/slice.ts';
import { openProjecting, projectionNamed } from '../testbed/projecting.ts';
import type { Testbed } from '../testbed/rig.ts';
import { fillPlays, fillRegistry } from '../traffic/fill-log.ts';

export const coffee = projectionNamed('coffee');

/** A log of so many events, and slices that are whole generations of coffee. */
export const openCoffeeLog = async (rig: Testbed, events: number, withPeople: boolean) => {
  const [node, engine, projecting] = [await rig.eventStore(), await rig.clickhouse(), await openProjecting(rig)];
  const { store, writer } = projecting;
  await fillRegistry(store);
  const upTo = await fillPlays(store, events, withPeople);
  const pids = { projector: process.pid, store: node.pid, clickhouse: engine.pid };
  let generation = 1;
  /** Tables are made before and dropped after what is measured; `look` sees them as they are then. */
  const inNewGeneration = async (
    work: (generation: number) => Promise<void>,
    look?: (generation: number) => Promise<void>,
  ): Promise<Slice> => {
    const at = (generation += 1);
    await ensureSchema(writer, [{ projection: coffee, generation: at }]);
    const slice = await measure(pids, async () => {
      await work(at);
      return { units: events };
    });
    await look?.(at);
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
  };
};
