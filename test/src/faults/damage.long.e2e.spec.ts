import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, createTestPartner, type DemoCredentials, type Service, startService } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { chooseRoundRange, chooseSeed, openRoundResults } from '../support/rounds.ts';
import { judgeRefusal, type RoundResult, runDamageRounds, type Verdict } from './damage-rounds.fixture.ts';
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
const range = chooseRoundRange(1, 100);
const seed = chooseSeed(20_261_123);
const results = openRoundResults<RoundResult>('damage', seed);

/** How long a damaged service may take until its reports are complete again. */
const healTimeoutMs = 90_000;
const startTimeoutMs = 90_000;

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

const useDamaged = async (service: Service, { credentials, reports: before }: Installation): Promise<Verdict> => {
  // The keys of before the damage, at the addresses of the new start.
  const current = { ...credentials, ...service.endpoints };
  const deadline = Date.now() + healTimeoutMs;
  let errors = '';
  for (;;) {
    const now = await readReports(current);
    const difference = findDifference(before, now);
    if (difference !== undefined)
      return { outcome: 'silent', detail: `${difference}: ${now[difference]!.text.slice(0, 300)}` };
    const failed = Object.entries(now).filter(([, { status }]) => status !== 200);
    if (failed.length === 0) break;
    errors = failed.map(([name, { status, text }]) => `${name} ${status} ${text.slice(0, 150)}`).join('; ');
    if (Date.now() > deadline)
      return { outcome: (await diagnose(current)) === 'ok' ? 'unreported' : 'reported', detail: errors };
    await sleep(200);
  }
  const { push } = createTestPartner(current);
  const response = await push('/heartbeats', { heartbeats: [{ deviceId: 32, at: '2026-09-01T09:30:00Z' }] });
  if (response.status !== 202)
    return { outcome: 'unreported', detail: `push: ${response.status} ${await response.text()}` };
  return { outcome: errors === '' ? 'harmless' : 'healed', detail: errors };
};

const runRound = async (installation: Installation, round: number): Promise<Damage & Verdict> => {
  const dataDir = await copyInstallation(installation);
  const damage = damageOneFile(dataDir, createRandom(seed, 'damage', round), isLong ? undefined : ['event log']);
  const service = await startDamaged(dataDir);
  const verdict = typeof service === 'string' ? judgeRefusal(damage, service) : await useDamaged(service, installation);
  if (typeof service !== 'string') await service.kill9();
  await killProcessesOf(dataDir);
  await rm(dataDir, { recursive: true, force: true });
  return { ...damage, ...verdict };
};

describe(`a service whose folder has one damaged file (rounds ${range.first} to ${range.last}, seed ${seed})`, function () {
  this.timeout(isLong ? 12 * 3_600_000 : 180_000);
  let installation: Promise<Installation> | undefined;

  it('refuses to start and names the file, heals, or gives the same reports', async () => {
    const wrong = await runDamageRounds(range, results, async (round) =>
      runRound(await (installation ??= prepareInstallation()), round),
    );
    expect(wrong).to.deep.equal([]);
  });
});
