import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readProcessTree } from '../rig/service-process.ts';

/** The processes that the supervisor of `npm start` starts, and restarts after a kill. */
export const processNames = [
  'command-api',
  'query-api',
  'projectors',
  'worker',
  'event-store',
  'clickhouse',
  'postgres',
] as const;
export type ProcessName = (typeof processNames)[number];

/** `rebuild` is a child process that the projectors start to build a generation during a replay. */
type SampledProcess = ProcessName | 'supervisor' | 'rebuild';

/** Resource use of a process and its children at one moment. */
interface ResourceUse {
  readonly part: SampledProcess;
  /** Process id of the process itself, not of a child. */
  readonly pid: number;
  /**
   * Resident memory: the private memory of the process and its children, plus the largest amount of shared memory that any of them
   * uses. Shared memory is not added up, because the processes share the same pages.
   */
  readonly bytes: number;
  /** Open file descriptors, without those of `fileOfTable`. */
  readonly handles: number;
  readonly threads: number;
  readonly processes: number;
}

const programs: readonly (readonly [ProcessName, RegExp])[] = [
  ['worker', /command-api\/dist\/worker-main/],
  ['command-api', /command-api\/dist\/main/],
  ['query-api', /query-api\/dist\/main/],
  ['projectors', /projectors\/dist\/main/],
  ['event-store', /embedded\/dist\/event-store\/main/],
  ['clickhouse', /embedded\/dist\/clickhouse\/main/],
  ['postgres', /postgres/],
];

/** Returns the result of `read`, or undefined if it throws because the process has ended. */
const tryRead = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

const commandOf = (pid: number): string => tryRead(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '';

/** Returns the ids of the processes that the supervisor has started, keyed by process name. */
export const findProcesses = (supervisor: number): ReadonlyMap<ProcessName, number> => {
  const children = tryRead(() => readFileSync(`/proc/${supervisor}/task/${supervisor}/children`, 'utf8')) ?? '';
  const found = new Map<ProcessName, number>();
  for (const pid of children.split(' ').filter(Boolean).map(Number)) {
    const part = programs.find(([, pattern]) => pattern.test(commandOf(pid)));
    if (part) found.set(part[0], pid);
  }
  return found;
};

/**
 * ClickHouse keeps this file of each table open. Generations are kept for a day after a replay, so the number of tables rises with the
 * replays.
 */
const fileOfTable = /\/deduplication_logs\//;

const countHandles = (pid: number): number => {
  const folder = `/proc/${pid}/fd`;
  const targetOf = (handle: string) => tryRead(() => readlinkSync(`${folder}/${handle}`)) ?? '';
  return readdirSync(folder).filter((handle) => !fileOfTable.test(targetOf(handle))).length;
};

const readMemory = (pid: number) =>
  tryRead(() => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
    return {
      own: field('RssAnon') * 1_024,
      shared: (field('RssFile') + field('RssShmem')) * 1_024,
      threads: field('Threads'),
      handles: countHandles(pid),
    };
  });

const sumResources = (part: SampledProcess, pid: number, pids: readonly number[]): ResourceUse => {
  const all = pids.map(readMemory).filter((each) => each !== undefined);
  const sum = (of: (each: (typeof all)[number]) => number) => all.reduce((total, each) => total + of(each), 0);
  const shared = Math.max(0, ...all.map((each) => each.shared));
  return {
    part,
    pid,
    bytes: sum(({ own }) => own) + shared,
    handles: sum(({ handles }) => handles),
    threads: sum(({ threads }) => threads),
    processes: all.length,
  };
};

/** Reads the resource use of the supervisor and of all processes it has started. */
export const readResourceUse = (supervisor: number): readonly ResourceUse[] => {
  const usesOf = (part: ProcessName, pid: number): readonly ResourceUse[] => {
    const all = readProcessTree(pid);
    const rebuilds = all.filter((each) => /projectors\/dist\/replay-process\.js/.test(commandOf(each)));
    return [
      sumResources(
        part,
        pid,
        all.filter((each) => !rebuilds.includes(each)),
      ),
      ...rebuilds.map((each) => sumResources('rebuild', each, [each])),
    ];
  };
  return [
    sumResources('supervisor', supervisor, [supervisor]),
    ...[...findProcesses(supervisor)].flatMap(([part, pid]) => usesOf(part, pid)),
  ].filter(({ processes }) => processes > 0);
};

export interface Sample {
  readonly atMs: number;
  readonly bytes: number;
  readonly handles: number;
  readonly threads: number;
}

/** Samples of one process instance, in chronological order. */
export interface ProcessRun {
  readonly part: SampledProcess;
  readonly samples: readonly Sample[];
}

/** Collects resource samples by process. A restarted process has a new process id and begins a new run. */
export interface ProcessRuns {
  add(atMs: number, uses: readonly ResourceUse[]): void;
  longest(): readonly ProcessRun[];
  /** Number of runs for each process. */
  readonly counts: ReadonlyMap<SampledProcess, number>;
  /** Maximum memory of each process, in bytes. */
  readonly maxBytes: ReadonlyMap<SampledProcess, number>;
}

const durationOf = ({ samples }: ProcessRun) => (samples.at(-1)?.atMs ?? 0) - (samples[0]?.atMs ?? 0);

export const createProcessRuns = (): ProcessRuns => {
  const runs = new Map<string, { part: SampledProcess; samples: Sample[] }>();
  const counts = new Map<SampledProcess, number>();
  const maxBytes = new Map<SampledProcess, number>();
  return {
    counts,
    maxBytes,
    add(atMs, uses) {
      for (const { part, pid, bytes, handles, threads } of uses) {
        const key = `${part} ${pid}`;
        const run = runs.get(key) ?? { part, samples: [] };
        if (!runs.has(key)) {
          runs.set(key, run);
          counts.set(part, (counts.get(part) ?? 0) + 1);
        }
        run.samples.push({ atMs, bytes, handles, threads });
        maxBytes.set(part, Math.max(maxBytes.get(part) ?? 0, bytes));
      }
    },
    longest() {
      const byPart = new Map<SampledProcess, ProcessRun>();
      for (const run of runs.values()) {
        const longest = byPart.get(run.part);
        if (!longest || durationOf(run) > durationOf(longest)) byPart.set(run.part, run);
      }
      return [...byPart.values()];
    },
  };
};
