import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { parseWholeNumber } from '../option-values.ts';
import { CliError } from '../output/cli-error.ts';
import { printNote, printResult } from '../output/print.ts';
import { type Connect, dataOf, type OpsClient, withRetries } from '../service-client/ops-client.ts';
import type { OpsCommand } from '../service-client/ops-command.ts';
import { createReplayProgress } from './replay-progress.ts';
import {
  formatDifferences,
  formatInterruption,
  formatOutcome,
  formatProgress,
  formatSource,
  type Replay,
} from './replay-texts.ts';

const pollMs = 500;
/** The replay continues while the operations server is unavailable. */
const pollRetryTimeoutMs = 120_000;

const waitForReplay = async (
  ops: OpsClient,
  started: Replay,
  onProgress: (replay: Replay) => void = () => undefined,
): Promise<Replay> => {
  const params = { path: { id: String(started.id) } };
  let replay = started;
  while (replay.ended_at === null) {
    await sleep(pollMs);
    replay = await dataOf(ops.GET('/ops/v1/replays/{id}', { params, ...withRetries(pollRetryTimeoutMs) }));
    onProgress(replay);
  }
  return replay;
};

/** Scripts of operators rely on these fields of the JSON result. */
const toResult = ({ name, from_generation, to_generation, events, seconds, verified }: Replay) => ({
  name,
  from_generation,
  to_generation,
  events,
  seconds,
  verified,
});

/** Terminates the process with SIGINT, as shells expect. Returns a function that removes the handler. */
const handleInterrupt = (onInterrupt: () => void): (() => void) => {
  const handle = () => {
    onInterrupt();
    process.kill(process.pid, 'SIGINT');
  };
  process.once('SIGINT', handle);
  return () => void process.off('SIGINT', handle);
};

const watchReplay = async (ops: OpsClient, started: Replay, command: Command): Promise<void> => {
  const progress = createReplayProgress();
  const removeHandler = handleInterrupt(() => {
    progress.stop();
    printNote(formatInterruption(started));
  });
  let ended: Replay;
  try {
    ended = await waitForReplay(ops, started, progress.update);
  } finally {
    removeHandler();
    progress.stop();
  }
  const differences = formatDifferences(ended);
  if (ended.state !== 'done') {
    const details = differences.map((message) => ({ path: 'difference', message }));
    const reason = ended.error === null ? ' by request.' : `: ${ended.error}`;
    throw new CliError(
      `The ${ended.kind} of ${ended.name} was not completed; its state is ${ended.state}${reason}`,
      details,
    );
  }
  for (const difference of differences) printNote(`difference: ${difference}`);
  const projections = await dataOf(ops.GET('/ops/v1/projections'));
  const isKept = projections.some(({ name, kept }) => name === ended.name && kept === ended.from_generation);
  printResult(command, { value: toResult(ended), text: formatOutcome(ended, isKept) });
};

const watchIfRequested = async (ops: OpsClient, started: Replay, command: Command): Promise<void> => {
  if (command.opts<{ wait: boolean }>().wait) {
    await watchReplay(ops, started, command);
    return;
  }
  const { id, state } = started;
  const value = { id, state, ...toResult(started) };
  printResult(command, { value, text: `${formatProgress(started)} (replay ${id})` });
};

const findRunningReplay = async (ops: OpsClient, name: string, verb: string): Promise<Replay> => {
  const { replays } = await dataOf(ops.GET('/ops/v1/replays', { params: { query: { unfinished: 'true' } } }));
  const running = replays.find((replay) => replay.name === name);
  if (running) return running;
  const names = (await dataOf(ops.GET('/ops/v1/projections'))).map((projection) => projection.name);
  if (!names.includes(name))
    throw new CliError(`There is no projection ${name}; the projections are ${names.join(', ')}.`);
  throw new CliError(`There is no replay of ${name} to ${verb}.`);
};

interface ReplayOptions {
  readonly from?: 'log' | 'facts';
  readonly fromVersion?: number;
  readonly verify: boolean;
}

export const addReplayCommands = (group: OpsCommand, connect: Connect): void => {
  group
    .command('replay')
    .description('rebuild a projection; readers keep its current tables until the new ones are complete')
    .argument('<name>', 'name of the projection')
    .addOption(
      new Option(
        '--from <source>',
        'log: build all tables from the log; facts: copy the stored facts and compute only the rows derived from them; without it, the cheaper way that updates the tables',
      ).choices(['log', 'facts']),
    )
    .option(
      '--from-version <n>',
      'only if the current tables were built by this version of the projection or an older one (`version` in projections list --json)',
      parseWholeNumber(0),
    )
    .option(
      '--verify',
      'compare with the current tables first; if they differ, they stay, unless the projection has a new version',
      false,
    )
    .option('--wait', 'wait until readers see the new tables', true)
    .option('--no-wait', 'only request the replay')
    .action(async (name: string, options: ReplayOptions, command: Command) => {
      const { ops } = await connect();
      const { verify, from, fromVersion } = options;
      const body = {
        verify,
        ...(from && { source: from }),
        ...(fromVersion !== undefined && { from_version: fromVersion }),
      };
      const started = await dataOf(ops.POST('/ops/v1/projections/{name}/replay', { params: { path: { name } }, body }));
      if (!('needed' in started)) {
        printNote(formatSource(started));
        await watchIfRequested(ops, started, command);
        return;
      }
      const { generation, version } = started;
      const value = {
        name,
        from_generation: generation,
        to_generation: generation,
        events: 0,
        seconds: 0,
        verified: false,
      };
      printResult(command, {
        value,
        text: `${name} needs no replay: its current tables were built by version ${version}.`,
      });
    });

  group
    .command('rollback')
    .description('switch readers back to the tables from before the last replay')
    .argument('<name>', 'name of the projection')
    .option('--wait', 'wait until readers see them', true)
    .option('--no-wait', 'only request the rollback')
    .action(async (name: string, _: object, command: Command) => {
      const { ops } = await connect();
      const started = await dataOf(ops.POST('/ops/v1/projections/{name}/rollback', { params: { path: { name } } }));
      await watchIfRequested(ops, started, command);
    });

  group
    .command('watch')
    .description('show the progress of a replay or rollback until it has ended; Ctrl-C does not cancel it')
    .argument('<name>', 'name of the projection')
    .action(async (name: string, _: object, command: Command) => {
      const { ops } = await connect();
      await watchReplay(ops, await findRunningReplay(ops, name, 'watch'), command);
    });

  group
    .command('cancel')
    .description('cancel the replay or rollback of a projection; readers keep the current tables')
    .argument('<name>', 'name of the projection')
    .request(async (ops, name: string) => {
      const { id } = await findRunningReplay(ops, name, 'cancel');
      const cancelling = await dataOf(ops.DELETE('/ops/v1/replays/{id}', { params: { path: { id: String(id) } } }));
      const ended = await waitForReplay(ops, cancelling);
      if (ended.state !== 'cancelled')
        throw new CliError(`It was too late to cancel: the ${ended.kind} of ${name} is ${ended.state}.`);
      const value = { id: ended.id, name, state: ended.state };
      return { value, text: `The ${ended.kind} of ${name} is cancelled.` };
    });
};
