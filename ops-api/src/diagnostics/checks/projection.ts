import { createCheck, failed, type Finding, warning } from '@popsvc/contracts/diagnostics';
import { describeShardCount, listPartitions } from '@popsvc/domain/partitioning';
import {
  countParkedEvents,
  type GenerationRecord,
  type ProjectionSet,
  readFormerSets,
  readGenerations,
  readProjectionStatuses,
  type ReplaySource,
} from '@popsvc/platform/postgres';
import { chooseReplaySource, countPartitions, projectionNameFormat } from '@popsvc/read-models/generations';
import type { DiagnosticsDependencies, ServiceEvaluation } from '../dependencies.ts';

const warningLagSeconds = 60;
const failureLagSeconds = 600;

const check = createCheck('projection', 'Each projection runs, keeps up with the log, and has no parked events.', {
  parked: failed(
    '`popsvc events parked list` shows them and their errors; retry them after the fix (`popsvc events parked retry`), or discard them.',
  ),
  stopped: failed('Start a projectors process; if one runs, check its log.'),
  failing: failed('It retries automatically; fix what the error names. See the log of the projectors.'),
  'rebuild-needed': failed(
    (subject) =>
      `First find out why its log is another one (guide "Repair and restore", section "Older copies"). If the log was replaced or restored, \`popsvc projections replay ${subject}\` rebuilds it.`,
  ),
  'ahead-of-log': failed(
    (subject) =>
      `No replay begins by itself, because it would delete these rows. Ask the vendors to send the events of that time again, then run \`popsvc projections replay ${subject}\`.`,
  ),
  'far-behind': failed(
    'Check the load of ClickHouse and of the projectors: reports are this old. Lag that grows for hours needs more CPU.',
    { begins: `more than ${failureLagSeconds} s behind` },
  ),
  lagging: warning(
    'It should catch up by itself. If it does not, check the load of ClickHouse and of the projectors.',
    { threshold: warningLagSeconds, begins: `more than ${warningLagSeconds} s behind` },
  ),
  paused: warning((subject) => `\`popsvc projections resume ${subject}\` resumes it.`),
  'tables-missing': warning(
    (subject) =>
      `It is built automatically, and again after a while if that fails: \`popsvc projections watch ${subject}\` shows its progress, \`popsvc projections replay ${subject}\` starts it at once.`,
  ),
  former: warning(
    (shards) =>
      `If no query-api reads its databases any more, \`popsvc projections forget ${shards} --confirm\` removes what PostgreSQL stores for it. Otherwise start its projectors.`,
  ),
  outdated: warning(
    (subject) =>
      `\`popsvc projections replay ${subject}\` builds a new generation with this version, alongside the live one.`,
  ),
});

interface PartitionState {
  readonly state: string;
  readonly error: string | null;
  /** When the newest projected event was appended; 0 before the first one. */
  readonly asOfMs: number;
}

export interface ProjectionState extends PartitionState {
  readonly name: string;
  readonly generation: number;
  readonly partitions?: readonly PartitionState[];
  readonly isPaused: boolean;
  readonly isOutdated: boolean;
  readonly replayFrom?: ReplaySource | undefined;
  /** Tables newer than this generation, which lack the rows of earlier events. */
  readonly incompleteTables?: readonly string[];
}

interface ParkedEvents {
  readonly projection: string;
  readonly generation: number;
  readonly events: number;
  readonly sinceMs?: number;
}

export const reportParkedEvents = ({ projection, generation, events, sinceMs }: ParkedEvents): Finding =>
  check.problem('parked', {
    subject: projection,
    found: `${events} event${events === 1 ? '' : 's'} of generation ${generation} ${events === 1 ? 'is' : 'are'} parked`,
    sinceMs,
  });

const lagSecondsOf = (asOfMs: number): number =>
  asOfMs === 0 ? 0 : Math.max(0, Math.round((Date.now() - asOfMs) / 1_000));

const findProgressProblem = (
  { name, isPaused }: ProjectionState,
  { state, error, asOfMs }: PartitionState,
  where = '',
): Finding | undefined => {
  const lagSeconds = lagSecondsOf(asOfMs);
  const about = { subject: name, sinceMs: asOfMs === 0 ? undefined : asOfMs };
  const lag = `${lagSeconds} s behind`;
  if (isPaused) return check.problem('paused', { ...about, found: `paused by an operator, ${lag}` });
  if (state === 'stopped') return check.problem('stopped', { ...about, found: `${where}no process runs it` });
  if (state === 'failing' || state === 'rebuild-needed')
    return check.problem(state, {
      ...about,
      found: `${where}failing, ${lag}: ${error ?? 'no error reported'}`,
    });
  // The check `read-models` reports the damage.
  if (state === 'damaged') return undefined;
  if (lagSeconds > failureLagSeconds) return check.problem('far-behind', { ...about, found: `${where}${lag}` });
  if (lagSeconds > warningLagSeconds) return check.problem('lagging', { ...about, found: `${where}${lag}` });
  return undefined;
};

export const reportLostEvents = ({
  projection,
  generation,
  lostEvents,
}: Pick<GenerationRecord, 'projection' | 'generation' | 'lostEvents'>): readonly Finding[] =>
  lostEvents.map(({ repaired_at: repairedAt, rows }) => {
    const counts = Object.entries(rows)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([table, count]) => `${table} ${count ?? 'unreadable'}`);
    return check.problem('ahead-of-log', {
      subject: projection,
      found:
        `generation ${generation} has handled events that the repair of ${repairedAt} removed from the log; ` +
        `rows of these events: ${counts.length === 0 ? 'not countable' : counts.join(', ')}`,
      sinceMs: Date.parse(repairedAt),
    });
  });

const findProgressProblems = (projection: ProjectionState): readonly Finding[] => {
  const { partitions = [], isPaused } = projection;
  if (isPaused || partitions.length <= 1) return [findProgressProblem(projection, projection) ?? []].flat();
  return partitions.flatMap(
    (partition, index) =>
      findProgressProblem(projection, partition, `partition ${index} of ${partitions.length}: `) ?? [],
  );
};

export const findProjectionProblems = (projection: ProjectionState): readonly Finding[] => {
  const { name, generation, isOutdated, replayFrom, incompleteTables = [] } = projection;
  return [
    ...findProgressProblems(projection),
    ...(incompleteTables.length > 0
      ? [
          check.problem('tables-missing', {
            subject: name,
            found: `${incompleteTables.join(', ')} newer than generation ${generation}; requests that read them are refused until the next generation is built`,
          }),
        ]
      : []),
    ...(isOutdated
      ? [
          check.problem('outdated', {
            subject: name,
            found: `generation ${generation} was built by an older version of this projection${replayFrom === 'facts' ? '; a replay needs only the stored facts, not the log' : ''}`,
          }),
        ]
      : []),
  ];
};

const judgeProjection = (
  projection: ProjectionState,
  parkedEvents = 0,
  lostEvents: GenerationRecord['lostEvents'] = [],
): readonly Finding[] => {
  const { name, generation, state } = projection;
  const problems = [
    ...findProjectionProblems(projection),
    ...reportLostEvents({ projection: name, generation, lostEvents }),
    ...(parkedEvents > 0 ? [reportParkedEvents({ projection: name, generation, events: parkedEvents })] : []),
  ];
  if (problems.length > 0) return problems;
  const found = `${state}, generation ${generation}, ${lagSecondsOf(projection.asOfMs)} s behind`;
  return [check.ok({ subject: name, found })];
};

const isOutdated = (generation: GenerationRecord | undefined, version: number): boolean =>
  generation !== undefined && generation.version < version;

const reportFormerSets = (sets: readonly ProjectionSet[]): readonly Finding[] =>
  sets.map(({ shards, projections, usedBy }) => {
    const subject = `set of ${describeShardCount(shards)}`;
    return usedBy.length > 0
      ? check.ok({ subject, found: `run by ${usedBy.join(', ')}` })
      : check.problem('former', {
          subject,
          found: `no process runs ${projections.join(', ')}`,
          detail: String(shards),
        });
  });

const checkProjections = async ({ postgres, shards }: DiagnosticsDependencies): Promise<readonly Finding[]> => {
  const declarations = shards.flatMap((shard) => shard.declarations);
  const [generations, statuses, parked, formerSets] = await Promise.all([
    readGenerations(postgres),
    readProjectionStatuses(postgres),
    countParkedEvents(postgres),
    readFormerSets(postgres, shards.length),
  ]);
  const live = declarations.flatMap((declaration) => {
    const { name, version } = declaration;
    const generation = generations.find((each) => each.projection === name && each.state === 'live');
    const partitions = listPartitions(countPartitions(declaration, generation?.partitions ?? 1)).map(({ index }) => {
      const status = statuses.find(
        (each) => each.projection === name && each.generation === generation?.generation && each.partition === index,
      );
      return {
        state: status?.isFresh ? status.state : 'stopped',
        error: status?.error ?? null,
        asOfMs: status?.asOfMs ?? 0,
      };
    });
    const slowest = partitions.reduce((one, other) => (other.asOfMs < one.asOfMs ? other : one));
    const parkedOfLive = parked.find(
      (each) => each.projection === name && each.generation === generation?.generation,
    )?.parked;
    return judgeProjection(
      {
        name,
        generation: generation?.generation ?? 0,
        ...slowest,
        partitions,
        isPaused: generation?.paused ?? false,
        isOutdated: isOutdated(generation, version),
        replayFrom: generation && chooseReplaySource(declaration, generation).source,
        incompleteTables: generation?.incompleteTables ?? [],
      },
      parkedOfLive,
      generation?.lostEvents,
    );
  });
  const followers = statuses
    .filter(({ projection }) => !projectionNameFormat.test(projection))
    .flatMap(({ projection, isFresh, state, ...status }) =>
      judgeProjection({
        ...status,
        name: projection,
        state: isFresh ? state : 'stopped',
        isPaused: false,
        isOutdated: false,
      }),
    );
  return [...live, ...followers, ...reportFormerSets(formerSets)];
};

const checkRunningProjections = ({ listRunningProjections }: DiagnosticsDependencies): readonly Finding[] =>
  listRunningProjections()
    .filter(({ state }) => state !== 'waiting')
    .flatMap(({ name, generation, state, error, asOfMs }) =>
      judgeProjection({ name, generation, state, error: error ?? null, asOfMs, isPaused: false, isOutdated: false }),
    );

export const projections: ServiceEvaluation = {
  check,
  async evaluate(dependencies, down) {
    return down.has('postgresql') ? checkRunningProjections(dependencies) : checkProjections(dependencies);
  },
};
