import { probeStream } from '@popsvc/contracts/events';
import type { Engine } from './check.ts';
import type { DiagnosticsDependencies } from './doctor-parts.ts';
import { failed, type Finding, ok, skipped, warning } from './finding.ts';

const name = 'clocks';
/** Past the first, figures of age are visibly wrong; past the second tokens are refused. */
const [noticedMs, harmfulMs] = [2_000, 30_000];
const mend = 'Let all machines follow one time server (chrony, systemd-timesyncd).';

interface Offset {
  readonly whose: string;
  /** By so much that clock is ahead of ours. */
  readonly aheadMs: number;
}

/** Half the way there and back is taken for the way back. */
const offsetOf = async (whose: string, ask: () => Promise<number>): Promise<Offset> => {
  const asked = Date.now();
  const theirs = await ask();
  return { whose, aheadMs: Math.round(theirs - (asked + Date.now()) / 2) };
};

/** By the newest probe: when it was written, by the clock of who wrote it, and when the log took it in, by its own. */
const offsetOfLog = async ({ store }: DiagnosticsDependencies): Promise<Offset | undefined> => {
  for await (const event of store.readStream(probeStream('projectors'), { direction: 'backwards', max: 1 })) {
    const { emittedAt } = event.data as { emittedAt?: string };
    const emitted = Date.parse(emittedAt ?? '');
    return Number.isFinite(emitted) ? { whose: 'event store', aheadMs: event.recordedAtMs - emitted } : undefined;
  }
  return undefined;
};

const seconds = (ms: number) => (Math.abs(ms) / 1_000).toFixed(1);
const told = ({ whose, aheadMs }: Offset) => `${whose} ${seconds(aheadMs)} s ${aheadMs < 0 ? 'behind' : 'ahead'}`;

/** Whether the clocks of the stores agree with this process's, as far as they can be asked. */
export const lookAtClocks = async (
  parts: DiagnosticsDependencies,
  away: ReadonlySet<Engine>,
): Promise<readonly Finding[]> => {
  const { writer, postgres } = parts;
  const asking: Promise<Offset | undefined>[] = [];
  if (!away.has('postgresql'))
    asking.push(
      offsetOf('postgresql', async () => {
        const { rows } = await postgres.query<{ ms: number }>(
          'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
        );
        return rows[0]!.ms;
      }),
    );
  if (!away.has('clickhouse'))
    asking.push(
      offsetOf('clickhouse', async () => {
        const [row] = await writer.rows<{ ms: string }>('SELECT toString(toUnixTimestamp64Milli(now64(3))) AS ms', {
          timeoutMs: 3_000,
        });
        return Number(row!.ms);
      }),
    );
  if (!away.has('event store')) asking.push(offsetOfLog(parts));
  const offsets = (await Promise.all(asking)).filter((offset) => offset !== undefined);
  if (offsets.length === 0) return [skipped(name, 'not looked at: no store answers')];
  const wrong = offsets.filter(({ aheadMs }) => Math.abs(aheadMs) > noticedMs);
  if (wrong.length === 0)
    return [ok(name, `agree within ${noticedMs / 1_000} s: ${offsets.map(({ whose }) => whose).join(', ')}`)];
  const text = `against this process: ${wrong.map(told).join(', ')}`;
  const isHarmful = wrong.some(({ aheadMs }) => Math.abs(aheadMs) > harmfulMs);
  return [(isHarmful ? failed : warning)(name, text, mend)];
};
