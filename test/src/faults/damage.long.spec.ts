import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, createTestPartner, type DemoCredentials, type Service, startService } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { chooseRoundRange, chooseSeed, openRoundResults } from '../support/round-results.ts';
import { type Damage, damageOneFile } from './damaged-files.fixture.ts';
import {
  copyInstallation,
  type Installation,
  killProcessesOf,
  prepareInstallation,
  readReports,
  type Reports,
} from './damaged-installation.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const { first, last } = chooseRoundRange(1, 100);
const seed = chooseSeed(20_261_123);
const results = openRoundResults<RoundResult>('damage', seed);

/** How long a damaged service may take until its reports are complete again. */
const healTimeoutMs = 90_000;
const startTimeoutMs = 90_000;

/**
 * - `refused`: the service does not start, and its message names the damaged file.
 * - `healed`: some responses were errors, then all reports were as before.
 * - `harmless`: all reports were as before at once.
 * - `reported`: reports stay errors, and doctor reports a problem.
 * - `unnamed`: the service does not start, and its message does not name the file.
 * - `unreported`: reports stay errors, and doctor reports nothing.
 * - `silent`: a report differs.
 */
type Outcome = 'refused' | 'healed' | 'harmless' | 'reported' | 'unnamed' | 'unreported' | 'silent';
const wrongOutcomes: readonly Outcome[] = ['unnamed', 'unreported', 'silent'];

interface RoundResult extends Damage {
  readonly round: number;
  readonly outcome: Outcome;
  /** The end of the message, or the report that differs. */
  readonly detail: string;
  readonly seconds: number;
}

const startDamaged = async (dataDir: string): Promise<Service | string> => {
  const lines: string[] = [];
  const started = startService({ dataDir, onLog: (line) => lines.push(line) }).catch((error: unknown) =>
    [...lines, String(error)].join('\n'),
  );
  return Promise.race([started, sleep(startTimeoutMs, `no start within ${startTimeoutMs} ms\n${lines.join('\n')}`)]);
};

/** Returns the name of a report that was answered with 200 and differs from the one before the damage. */
const findDifference = (before: Reports, now: Reports): string | undefined =>
  Object.keys(before).find((name) => now[name]!.status === 200 && now[name]!.text !== before[name]!.text);

const diagnose = async ({ ops_base_url: url, operator_token: token }: DemoCredentials): Promise<string> =>
  fetch(`${url}/ops/v1/doctor`, { headers: { authorization: `Bearer ${token}` } })
    .then(async (response) => ((await response.json()) as { outcome: string }).outcome)
    .catch(String);

const useDamaged = async (
  service: Service,
  { credentials, reports: before }: Installation,
): Promise<readonly [Outcome, string]> => {
  // The keys of before the damage, at the addresses of the new start.
  const current = { ...credentials, ...service.endpoints };
  const deadline = Date.now() + healTimeoutMs;
  let errors = '';
  for (;;) {
    const now = await readReports(current);
    const difference = findDifference(before, now);
    if (difference !== undefined) return ['silent', `${difference}: ${now[difference]!.text.slice(0, 300)}`];
    const failed = Object.entries(now).filter(([, { status }]) => status !== 200);
    if (failed.length === 0) break;
    errors = failed.map(([name, { status, text }]) => `${name} ${status} ${text.slice(0, 150)}`).join('; ');
    if (Date.now() > deadline) return [(await diagnose(current)) === 'ok' ? 'unreported' : 'reported', errors];
    await sleep(200);
  }
  const { push } = createTestPartner(current);
  const response = await push('/heartbeats', { heartbeats: [{ deviceId: 32, at: '2026-09-01T09:30:00Z' }] });
  if (response.status !== 202) return ['unreported', `push: ${response.status} ${await response.text()}`];
  return errors === '' ? ['harmless', ''] : ['healed', errors];
};

const runRound = async (installation: Installation, round: number): Promise<RoundResult> => {
  const startedAt = performance.now();
  const dataDir = await copyInstallation(installation);
  const damage = damageOneFile(dataDir, createRandom(seed, 'damage', round), isLong ? undefined : ['event log']);
  const service = await startDamaged(dataDir);
  let [outcome, detail]: readonly [Outcome, string] = ['unnamed', ''];
  if (typeof service === 'string') {
    const names = [damage.path, damage.other].map((path) => path !== undefined && basename(path));
    if (names.some((name) => name !== false && service.includes(name))) outcome = 'refused';
    detail = service.slice(-600);
  } else {
    [outcome, detail] = await useDamaged(service, installation);
    await service.kill9();
  }
  await killProcessesOf(dataDir);
  await rm(dataDir, { recursive: true, force: true });
  return { round, ...damage, outcome, detail, seconds: Math.round((performance.now() - startedAt) / 1_000) };
};

/** Formats the number of rounds by kind of file, kind of damage and outcome. */
const formatTable = (all: readonly RoundResult[]): string => {
  const counts = new Map<string, number>();
  for (const { file, kind, outcome } of all) {
    const key = `${file} | ${kind} | ${outcome}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts]
    .sort()
    .map(([key, count]) => `      ${key} | ${count}\n`)
    .join('');
};

describe(`a service whose folder has one damaged file (rounds ${first} to ${last}, seed ${seed})`, function () {
  this.timeout(isLong ? 12 * 3_600_000 : 180_000);
  let installation: Installation;
  before(async () => {
    installation = await prepareInstallation();
  });

  it('refuses to start and names the file, heals, or gives the same reports', async () => {
    for (let round = first; round <= last; round += 1) {
      if (results.has(round)) continue;
      const result = await runRound(installation, round);
      results.add(result);
      const { file, kind, path, outcome, detail, seconds } = result;
      const shown = wrongOutcomes.includes(outcome) ? `\n        ${path}: ${detail}` : '';
      process.stdout.write(`      ${round}: ${file}, ${kind}: ${outcome} (${seconds} s)${shown}\n`);
    }
    process.stdout.write(formatTable(results.all));
    expect(results.all.filter(({ outcome }) => wrongOutcomes.includes(outcome))).to.deep.equal([]);
  });
});
