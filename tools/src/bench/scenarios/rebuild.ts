import { type Outcome } from '../harness/report.ts';
import { alternate, compare } from '../harness/comparison.ts';
import { readPeakBytes } from '../harness/process-usage.ts';
import type { Scenario, Sizes } from './scenario.ts';
import { cpuPerUnit, mergeSlices, type Side, wallPerUnit } from '../harness/slices.ts';
import type { Rig } from '../testbed/testbed.ts';
import { openCoffeeLog } from './coffee-log.ts';

/** Returns the number of pairs to measure. It is lower than `--pairs`, because each measurement builds a whole generation. */
const pairsOf = ({ pairs }: Sizes) => Math.max(2, Math.floor(pairs / 6));

const run = async (rig: Rig, sizes: Sizes): Promise<Outcome> => {
  const {
    pids,
    inNewGeneration,
    live: fold,
    replay: build,
    replayFacts,
  } = await openCoffeeLog(rig, sizes.events, true);
  // Its facts are copied. Generations 2 and later are dropped after each measurement.
  await fold(1);
  const side = (name: string, work: (generation: number) => Promise<void>): Side => ({
    name,
    slice: () => inNewGeneration(work),
  });
  const live = side('live', (at) => fold(at));
  const replay = side('replay', (at) => build(at));
  const facts = side('facts', (at) => replayFacts(at, 1));
  const blocks = await alternate({ sides: [live, replay, facts], pairs: pairsOf(sizes) });

  const times = { unit: 'µs', baseline: live.name, system: replay.name, reading: 'times' } as const;
  const fromFacts = { unit: 'µs', baseline: replay.name, system: facts.name, reading: 'times' } as const;
  const measures = [
    compare(blocks, { ...times, name: 'CPU an event, replay', cost: cpuPerUnit() }),
    compare(blocks, { ...times, name: 'wall an event, replay', cost: wallPerUnit }),
    compare(blocks, { ...fromFacts, name: 'CPU an event, from facts', cost: cpuPerUnit() }),
    compare(blocks, { ...fromFacts, name: 'wall an event, from facts', cost: wallPerUnit }),
  ];
  const figures = [live, replay, facts].flatMap(({ name }) => {
    const all = mergeSlices(blocks.flatMap((block) => block[name]!));
    return Object.keys(pids).map((process) => ({
      name: `CPU of the ${process}, ${name}`,
      value: cpuPerUnit(process)(all),
      unit: 'µs an event',
    }));
  });
  const peak = { name: 'most memory of this process', value: readPeakBytes(process.pid) / 2 ** 20, unit: 'MiB' };
  return { measures, figures: [...figures, peak] };
};

export const rebuild: Scenario = {
  name: 'rebuild',
  about:
    'build of a new generation of coffee, with a person at every second play: by the live projection, and by a replay from the log and from facts',
  run,
};
