import { type Finding, reportOk, reportProblem } from '@popsvc/contracts/diagnostics';
import { instantOf } from '@popsvc/contracts/time';
import { type GenerationRecord, type LostPart, readGenerations, type TableDamage } from '@popsvc/platform/postgres';
import { damagedTables, isRunVerified } from '@popsvc/read-models/generations';
import type { ShardDependencies } from './dependencies.ts';

/** Most parts named in a finding. */
const maxNamed = 3;

const describeDamage = ({ table, part, problem }: TableDamage): string =>
  `${table}${part === null ? '' : ` part ${part}`}: ${problem}`;

const describeLoss = (lost: LostPart): string =>
  `${describeDamage(lost)}; rows from ${instantOf(lost.fromMs)} to ${instantOf(lost.toMs)} are derived again`;

/** Reports a live generation with damaged tables. */
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
  return reportProblem('read-models', 'damaged', { subject: projection, found, sinceMs });
};

/** Reports that readers refuse all tables, because these were not verified since ClickHouse started. */
export const reportUnverified = (): Finding =>
  reportProblem('read-models', 'unverified', {
    found: 'the tables were not verified since ClickHouse started; reports are refused',
  });

/** Returns the live generations with damaged tables. */
export const findDamagedGenerations = (known: readonly GenerationRecord[]): readonly GenerationRecord[] =>
  known.filter(({ state, damage, healing }) => state === 'live' && damage.length + healing.length > 0);

/** Checks that the tables were verified since ClickHouse started, and that none is damaged. */
export const checkReadModels = async ({
  writer,
  postgres,
  declarations,
}: ShardDependencies): Promise<readonly Finding[]> => {
  const [known, isVerified] = await Promise.all([readGenerations(postgres), isRunVerified(writer)]);
  const own = known.filter(({ projection }) => declarations.some(({ name }) => name === projection));
  const findings = [...findDamagedGenerations(own).map(reportDamage), ...(isVerified ? [] : [reportUnverified()])];
  return findings.length > 0
    ? findings
    : [reportOk('read-models', { found: 'verified since ClickHouse started; no damaged table is known' })];
};
