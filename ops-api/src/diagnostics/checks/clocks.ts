import { probeStream } from '@popsvc/contracts/events';
import { createCheck, failed, warning } from '@popsvc/contracts/diagnostics';
import type { CheckedShard, DiagnosticsDependencies, ServiceEvaluation } from '../dependencies.ts';
import { addShardToName } from '../shards.ts';

/** Above `warningOffsetMs`, reported lags are visibly wrong; above `failureOffsetMs`, access tokens may be rejected. */
const warningOffsetMs = 2_000;
const failureOffsetMs = 30_000;

const advice = 'Synchronize all machines with one time server (chrony, systemd-timesyncd).';

const check = createCheck('clocks', 'The clocks of this process and of the stores agree.', {
  'far-apart': failed(advice, { begins: `more than ${failureOffsetMs / 1_000} s apart` }),
  apart: warning(advice, { begins: `more than ${warningOffsetMs / 1_000} s apart` }),
});

interface ClockOffset {
  readonly store: string;
  readonly aheadMs: number;
}

/** Assumes that the store reads its clock in the middle of the round trip. */
const measureOffset = async (store: string, readTimeMs: () => Promise<number>): Promise<ClockOffset> => {
  const startedAtMs = Date.now();
  const timeMs = await readTimeMs();
  return { store, aheadMs: Math.round(timeMs - (startedAtMs + Date.now()) / 2) };
};

const readPostgresTimeMs = async ({ postgres }: DiagnosticsDependencies): Promise<number> => {
  const { rows } = await postgres.query<{ ms: number }>(
    'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
  );
  return rows[0]!.ms;
};

const readClickHouseTimeMs = async ({ writer }: CheckedShard): Promise<number> => {
  const [row] = await writer.rows<{ ms: string }>('SELECT toString(toUnixTimestamp64Milli(now64(3))) AS ms', {
    timeoutMs: 3_000,
  });
  return Number(row!.ms);
};

/** Compares the event store's clock with that of the process that emitted the newest probe event, not with this process. */
const readEventStoreOffset = async ({ store }: DiagnosticsDependencies): Promise<ClockOffset | undefined> => {
  for await (const event of store.readStream(probeStream('projectors'), { direction: 'backwards', max: 1 })) {
    const { emittedAt } = event.data as { emittedAt?: string };
    const emittedMs = Date.parse(emittedAt ?? '');
    return Number.isFinite(emittedMs) ? { store: 'event store', aheadMs: event.recordedAtMs - emittedMs } : undefined;
  }
  return undefined;
};

const describeOffset = ({ store, aheadMs }: ClockOffset) =>
  `${store} ${(Math.abs(aheadMs) / 1_000).toFixed(1)} s ${aheadMs < 0 ? 'behind' : 'ahead'}`;

export const clocks: ServiceEvaluation = {
  check,
  async evaluate(dependencies, down) {
    const measured = await Promise.all([
      ...(down.has('postgresql') ? [] : [measureOffset('postgresql', () => readPostgresTimeMs(dependencies))]),
      ...dependencies.shards
        .filter((shard) => !down.has(shard))
        .map((shard) =>
          measureOffset(addShardToName('clickhouse', shard.writer.shard), () => readClickHouseTimeMs(shard)),
        ),
      ...(down.has('event-store') ? [] : [readEventStoreOffset(dependencies)]),
    ]);
    const offsets = measured.filter((offset) => offset !== undefined);
    if (offsets.length === 0) return [check.skipped({ found: 'not checked: no store answers' })];
    const apart = offsets.filter(({ aheadMs }) => Math.abs(aheadMs) > warningOffsetMs);
    if (apart.length === 0)
      return [
        check.ok({
          found: `agree within ${warningOffsetMs / 1_000} s: ${offsets.map(({ store }) => store).join(', ')}`,
        }),
      ];
    const code = apart.some(({ aheadMs }) => Math.abs(aheadMs) > failureOffsetMs) ? 'far-apart' : 'apart';
    return [check.problem(code, { found: `against this process: ${apart.map(describeOffset).join(', ')}` })];
  },
};
