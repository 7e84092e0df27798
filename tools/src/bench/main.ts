import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { baselines, targets } from './harness/targets.ts';
import { type StoredRatios, storedRatiosTable, mergeRatios } from './harness/baseline.ts';
import { targetTable } from './harness/gate-table.ts';
import { describeMachine } from './harness/machine.ts';
import { formatResults, type ScenarioResult } from './harness/print.ts';
import type { Scenario } from './harness/scenario.ts';
import { parseSizes, sizeOptions } from './harness/sizes.ts';
import { openTestbed, type Testbed } from './testbed/rig.ts';
import { removeStaleDataFolders } from './testbed/rig-folder.ts';
import { allScenarios } from './scenarios/all.ts';

const root = resolve(import.meta.dirname, '../../..');
const say = (text: string): void => void process.stderr.write(text);

const refuse = (text: string): never => {
  say(text);
  process.exit(2);
};
/** Held against the ratios that are committed, made to be those, and a CPU profile of each process. */
const switches = {
  baseline: { type: 'boolean' },
  'keep-baseline': { type: 'boolean' },
  profile: { type: 'boolean' },
} as const;
const asked = () => {
  try {
    const { values, positionals } = parseArgs({ options: { ...sizeOptions, ...switches }, allowPositionals: true });
    return { sizes: parseSizes(values), values, names: positionals };
  } catch (error) {
    return refuse(`${error instanceof Error ? error.message : String(error)}\n`);
  }
};

const { sizes, values, names } = asked();
const isNamed = ({ name }: Scenario) =>
  names.some((word) => name === word || (name.includes(word) && allScenarios.every((other) => other.name !== word)));
const chosen = allScenarios.filter((scenario) => names.length === 0 || isNamed(scenario));
if (chosen.length === 0)
  refuse(
    `There is no such benchmark. There are:\n${allScenarios.map(({ name, about }) => `  ${name}: ${about}\n`).join('')}`,
  );
const baselineFile = join(root, 'tools/src/bench/baseline.json');
if (values.baseline && !existsSync(baselineFile))
  refuse('There is no baseline yet: --keep-baseline makes one of what it runs.\n');
if (!existsSync('/proc/self/stat')) refuse('The CPU of processes is read from /proc: this needs Linux.\n');

let rig: Testbed | undefined;
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => void rig?.close().finally(() => process.exit(code)));

const run = async (scenario: Scenario): Promise<ScenarioResult> => {
  const began = performance.now();
  say(`${scenario.name}: ${scenario.about} … `);
  rig = openTestbed();
  try {
    return { scenario: scenario.name, ...(await scenario.run(rig, sizes)) };
  } finally {
    await rig.close();
    say(`${((performance.now() - began) / 1_000).toFixed(0)} s\n`);
  }
};

await removeStaleDataFolders();
const before = describeMachine();
const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
if (values.profile) {
  // Of every process that is started from here on, and of this one.
  process.env['BENCH_PROFILES'] = join(root, 'bench-results', `${stamp}-profiles`);
  process.env['NODE_OPTIONS'] = `--import ${new URL('./harness/profile.js', import.meta.url).href}`;
  await import('./harness/profile.ts');
}
const runs: ScenarioResult[] = [];
const file = join(root, 'bench-results', `${stamp}.json`);
await mkdir(join(root, 'bench-results'), { recursive: true });
/** After each scenario: an hour's metrics are not lost with the last one. */
const save = () => {
  const told = {
    at: new Date().toISOString(),
    machine: before,
    loadAfter: describeMachine().load,
    sizes,
    baselines: baselines,
    runs,
  };
  return writeFile(file, `${JSON.stringify(told, null, 2)}\n`);
};
for (const scenario of chosen)
  try {
    runs.push(await run(scenario));
    await save();
  } catch (error) {
    process.exitCode = 1;
    say(
      `${scenario.name} could not be measured: ${error instanceof Error ? (error.stack ?? error.message) : 'failed'}\n`,
    );
  }

const kept: StoredRatios | undefined = existsSync(baselineFile)
  ? (JSON.parse(await readFile(baselineFile, 'utf8')) as StoredRatios)
  : undefined;
if (values['keep-baseline'])
  await writeFile(baselineFile, `${JSON.stringify(mergeRatios(kept, before, runs), null, 2)}\n`);
const againstBaseline = values.baseline && kept ? storedRatiosTable(kept, runs) : '';
const { cpu, cores, memoryGiB, node, load } = before;
process.stdout.write(
  `${[formatResults(runs), targetTable(targets, runs), againstBaseline].filter(Boolean).join('\n')}\n${cpu}, ${cores} cores, ${memoryGiB} GiB, Node ${node}, load ${load?.toFixed(1)}\n`,
);
// Clients may hold connections to engines that are gone.
process.exit();
