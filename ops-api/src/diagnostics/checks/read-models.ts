import { createCheck, failed, type Finding } from '@popsvc/contracts/diagnostics';
import { instantOf } from '@popsvc/contracts/time';
import { type GenerationRecord, type LostPart, readGenerations, type TableDamage } from '@popsvc/platform/postgres';
import { damagedTables, isRunVerified } from '@popsvc/read-models/generations';
import type { ShardEvaluation } from '../dependencies.ts';

const check = createCheck(
  'read-models',
  'The tables in ClickHouse were verified after its last start, and none is damaged.',
  {
    damaged: failed(
      (subject) =>
        `Lost rows of a report are derived again from facts, and requests of their time range are refused until then. Otherwise a replay rebuilds the tables from the event log automatically, and again after a while if that fails: \`popsvc projections watch ${subject}\` shows its progress. Requests that read the tables are refused until then. Check the disk of ClickHouse.`,
    ),
    unverified: failed(
      'The projectors verify the tables within seconds. If they run, see their log; reports are refused until then.',
    ),
  },
);

const maxNamed = 3;

const describeDamage = ({ table, part, problem }: TableDamage): string =>
  `${table}${part === null ? '' : ` part ${part}`}: ${problem}`;

const describeLoss = (lost: LostPart): string =>
  `${describeDamage(lost)}; rows from ${instantOf(lost.fromMs)} to ${instantOf(lost.toMs)} are derived again`;

export const reportDamage = ({
  projection,
  generation,
  damage,
  healing,
}: Pick<GenerationRecord, 'projection' | 'generation' | 'damage' | 'healing'>): Finding => {
  const all = [...damage, ...healing];
  const named = [...damage.map(describeDamage), ...healing.map(describeLoss)].slice(0, maxNamed);
  const more = all.length > maxNamed ? `; and ${all.length - maxNamed} more` : '';
  const found = `tables of generation ${generation} are damaged: ${damagedTables(all).join(', ')} (${named.join('; ')}${more})`;
  const sinceMs = Math.min(...all.map(({ found_at: at }) => Date.parse(at)));
  return check.problem('damaged', { subject: projection, found, sinceMs });
};

export const reportUnverified = (): Finding =>
  check.problem('unverified', {
    found: 'the tables were not verified since ClickHouse started; reports are refused',
  });

/** Returns the live generations with damaged tables. */
export const findDamagedGenerations = (known: readonly GenerationRecord[]): readonly GenerationRecord[] =>
  known.filter(({ state, damage, healing }) => state === 'live' && damage.length + healing.length > 0);

export const readModels: ShardEvaluation = {
  check,
  scope: 'each shard',
  needs: ['clickhouse', 'postgresql'],
  async evaluate({ writer, postgres, declarations }) {
    const [known, isVerified] = await Promise.all([readGenerations(postgres), isRunVerified(writer)]);
    const own = known.filter(({ projection }) => declarations.some(({ name }) => name === projection));
    const findings = [...findDamagedGenerations(own).map(reportDamage), ...(isVerified ? [] : [reportUnverified()])];
    return findings.length > 0
      ? findings
      : [check.ok({ found: 'verified since ClickHouse started; no damaged table is known' })];
  },
};
