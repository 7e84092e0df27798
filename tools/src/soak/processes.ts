import { readdirSync, readFileSync } from 'node:fs';
import { processTree } from '../rig/service-process.ts';
import type { PartName } from './choose-faults.ts';

/** `rebuild`: the process in which the projectors build a generation; it ends with the build. */
export type ProcessName = PartName | 'supervisor' | 'rebuild';

/** What a part holds at a moment, all its processes together. */
export interface Holding {
  readonly part: ProcessName;
  /** Of the process that its supervisor started. */
  readonly pid: number;
  /** Memory that is there: what is its own of each, and once what they share. */
  readonly bytes: number;
  /** Open file descriptors. */
  readonly handles: number;
  readonly threads: number;
  readonly processes: number;
}

const programs: readonly (readonly [PartName, RegExp])[] = [
  ['worker', /command-api\/dist\/worker-main/],
  ['command-api', /command-api\/dist\/main/],
  ['query-api', /query-api\/dist\/main/],
  ['projectors', /projectors\/dist\/main/],
  ['event-store', /embedded\/dist\/event-store\/main/],
  ['clickhouse', /embedded\/dist\/clickhouse\/main/],
  ['postgres', /postgres/],
];

const asked = <T>(ask: () => T): T | undefined => {
  try {
    return ask();
  } catch {
    // It ended meanwhile.
    return undefined;
  }
};

const commandOf = (pid: number): string => asked(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '';

/** The processes that the service's supervisor started, by what they are. */
export const partsOf = (supervisor: number): ReadonlyMap<PartName, number> => {
  const children = asked(() => readFileSync(`/proc/${supervisor}/task/${supervisor}/children`, 'utf8')) ?? '';
  const found = new Map<PartName, number>();
  for (const pid of children.split(' ').filter(Boolean).map(Number)) {
    const part = programs.find(([, pattern]) => pattern.test(commandOf(pid)));
    if (part) found.set(part[0], pid);
  }
  return found;
};

const held = (pid: number) =>
  asked(() => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
    return {
      own: of('RssAnon') * 1_024,
      shared: (of('RssFile') + of('RssShmem')) * 1_024,
      threads: of('Threads'),
      handles: readdirSync(`/proc/${pid}/fd`).length,
    };
  });

const holdingOf = (part: ProcessName, pid: number, pids: readonly number[]): Holding => {
  const all = pids.map(held).filter((each) => each !== undefined);
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

/** Of the supervisor and of every part that runs now. */
export const holdings = (supervisor: number): readonly Holding[] => {
  const ofPart = (part: PartName, pid: number): readonly Holding[] => {
    const all = processTree(pid);
    const rebuilds = all.filter((each) => /projectors\/dist\/replay-process\.js/.test(commandOf(each)));
    return [
      holdingOf(
        part,
        pid,
        all.filter((each) => !rebuilds.includes(each)),
      ),
      ...rebuilds.map((each) => holdingOf('rebuild', each, [each])),
    ];
  };
  return [
    holdingOf('supervisor', supervisor, [supervisor]),
    ...[...partsOf(supervisor)].flatMap(([part, pid]) => ofPart(part, pid)),
  ].filter(({ processes }) => processes > 0);
};
