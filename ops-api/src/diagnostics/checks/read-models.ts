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
      'A replay rebuilds the tables from the event log by itself, and again after a while if that fails: `popsvc projections watch NAME` shows its progress. Requests that read the tables are refused until then. Check the disk of ClickHouse.',
    ),
    'lost-rows': failed(
      'The rows are derived again from facts by themselves, and requests of their time range are refused until then. Check the disk of ClickHouse.',
    ),
    unverified: failed(
      'The projectors verify the tables within seconds. If they run, see their log; reports are refused until then.',
    ),
  },
);

const maxNamed = 3;

const listFirst = (texts: readonly string[], separator: string): string =>
  texts.length > maxNamed
    ? `${texts.slice(0, maxNamed).join(separator)}${separator}and ${texts.length - maxNamed} more`
    : texts.join(separator);

const placeOf = ({ table, part }: TableDamage): string => (part === null ? table : `part ${part} of ${table}`);

const describeDamage = (damage: readonly TableDamage[]): string =>
  [...new Set(damage.map(({ problem }) => problem))]
    .map((problem) => {
      const places = damage.filter((each) => each.problem === problem).map(placeOf);
      return `${listFirst(places, ', ')}: ${problem}`;
    })
    .join('; ');

const describeLoss = (lost: LostPart): string =>
  `${placeOf(lost)}: ${lost.problem}; rows from ${instantOf(lost.fromMs)} to ${instantOf(lost.toMs)} are derived again`;

const earliest = (damage: readonly TableDamage[]): number =>
  Math.min(...damage.map(({ found_at: at }) => Date.parse(at)));

export const reportDamage = ({
  projection,
  generation,
  damage,
  healing,
}: Pick<GenerationRecord, 'projection' | 'generation' | 'damage' | 'healing'>): readonly Finding[] => [
  ...(damage.length > 0
    ? [
        check.problem('damaged', {
          subject: projection,
          found: `damage in ${damagedTables(damage).length} of the tables of generation ${generation}: ${describeDamage(damage)}`,
          sinceMs: earliest(damage),
        }),
      ]
    : []),
  ...(healing.length > 0
    ? [
        check.problem('lost-rows', {
          subject: projection,
          found: `lost rows of generation ${generation}: ${listFirst(healing.map(describeLoss), '; ')}`,
          sinceMs: earliest(healing),
        }),
      ]
    : []),
];

export const reportUnverified = (): Finding =>
  check.problem('unverified', {
    found: 'the tables were not verified since ClickHouse started; reports are refused',
  });

export const findDamagedGenerations = (known: readonly GenerationRecord[]): readonly GenerationRecord[] =>
  known.filter(({ state, damage, healing }) => state === 'live' && damage.length + healing.length > 0);

export const readModels: ShardEvaluation = {
  check,
  scope: 'each shard',
  needs: ['clickhouse', 'postgresql'],
  async evaluate({ writer, postgres, declarations }) {
    const [known, isVerified] = await Promise.all([readGenerations(postgres), isRunVerified(writer)]);
    const own = known.filter(({ projection }) => declarations.some(({ name }) => name === projection));
    const findings = [
      ...findDamagedGenerations(own).flatMap(reportDamage),
      ...(isVerified ? [] : [reportUnverified()]),
    ];
    return findings.length > 0
      ? findings
      : [check.ok({ found: 'verified since ClickHouse started; no damaged table is known' })];
  },
};
