import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { baselines, targets } from './harness/targets.ts';
import { type StoredRatios, storedRatiosTable, describeMachine, updateRatios } from './harness/stored-ratios.ts';
import { targetTable } from './harness/verdicts.ts';
import { formatRuns, type ScenarioRun } from './harness/report.ts';
import { type Scenario, sizeOptions, parseSizes } from './scenarios/scenario.ts';
import { openRig, type Rig, removeStaleDataFolders } from './testbed/testbed.ts';
import { allScenarios } from './scenarios/all-scenarios.ts';

const root = resolve(import.meta.dirname, '../../..');
const printNote = (text: string): void => void process.stderr.write(text);

const exitWithUsage = (text: string): never => {
  printNote(text);
  process.exit(2);
};
const switches = {
  'stored-ratios': { type: 'boolean' },
  /** Replace the stored ratios for the scenarios in this run. */
  'store-ratios': { type: 'boolean' },
  /** Write a CPU profile of each process. */
  profile: { type: 'boolean' },
} as const;
const parseCommandLine = () => {
  try {
    const { values, positionals } = parseArgs({ options: { ...sizeOptions, ...switches }, allowPositionals: true });
    return { sizes: parseSizes(values), values, names: positionals };
  } catch (error) {
    return exitWithUsage(`${error instanceof Error ? error.message : String(error)}\n`);
  }
};

const { sizes, values, names } = parseCommandLine();
const isNamed = ({ name }: Scenario) =>
  names.some((word) => name === word || (name.includes(word) && allScenarios.every((other) => other.name !== word)));
const chosen = allScenarios.filter((scenario) => names.length === 0 || isNamed(scenario));
if (chosen.length === 0)
  exitWithUsage(
    `Unknown benchmark. The benchmarks are:\n${allScenarios.map(({ name, about }) => `  ${name}: ${about}\n`).join('')}`,
  );
const storedRatiosFile = join(root, 'tools/src/bench/stored-ratios.json');
if (values['stored-ratios'] && !existsSync(storedRatiosFile))
  exitWithUsage('No ratios are stored yet: run the benchmarks with --store-ratios first.\n');
if (!existsSync('/proc/self/stat')) exitWithUsage('The benchmarks read CPU times from /proc and require Linux.\n');

let rig: Rig | undefined;
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => void rig?.close().finally(() => process.exit(code)));

const run = async (scenario: Scenario): Promise<ScenarioRun> => {
  const began = performance.now();
  printNote(`${scenario.name}: ${scenario.about} … `);
  rig = openRig();
  try {
    return { scenario: scenario.name, ...(await scenario.run(rig, sizes)) };
  } finally {
    await rig.close();
    printNote(`${((performance.now() - began) / 1_000).toFixed(0)} s\n`);
  }
};

await removeStaleDataFolders();
const before = describeMachine();
const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-');
if (values.profile) {
  // NODE_OPTIONS loads the profiler in child processes; this process has already started, so it imports the profiler itself.
  process.env['BENCH_PROFILES'] = join(root, 'bench-results', `${stamp}-profiles`);
  process.env['NODE_OPTIONS'] = `--import ${new URL('./harness/profile.js', import.meta.url).href}`;
  await import('./harness/profile.ts');
}
const runs: ScenarioRun[] = [];
const file = join(root, 'bench-results', `${stamp}.json`);
await mkdir(join(root, 'bench-results'), { recursive: true });
/** Writes the results so far. Called after each scenario, so a later failure does not lose them. */
const save = () => {
  const results = {
    at: new Date().toISOString(),
    machine: before,
    loadAfter: describeMachine().load,
    sizes,
    baselines,
    runs,
  };
  return writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
};
for (const scenario of chosen)
  try {
    runs.push(await run(scenario));
    await save();
  } catch (error) {
    process.exitCode = 1;
    printNote(`${scenario.name} failed: ${error instanceof Error ? (error.stack ?? error.message) : 'failed'}\n`);
  }

const stored: StoredRatios | undefined = existsSync(storedRatiosFile)
  ? (JSON.parse(await readFile(storedRatiosFile, 'utf8')) as StoredRatios)
  : undefined;
if (values['store-ratios'])
  await writeFile(storedRatiosFile, `${JSON.stringify(updateRatios(stored, before, runs, sizes), null, 2)}\n`);
const comparison = values['stored-ratios'] && stored ? storedRatiosTable(stored, runs, sizes) : '';
const { cpu, cores, memoryGiB, node, load } = before;
process.stdout.write(
  `${[formatRuns(runs), targetTable(targets, runs), comparison].filter(Boolean).join('\n')}\n${cpu}, ${cores} cores, ${memoryGiB} GiB, Node ${node}, load ${load?.toFixed(1)}\n`,
);
// Exits explicitly, because clients may still hold connections to stopped engines and would keep this process running.
process.exit();
