import type { Command } from 'commander';
import { Failure } from '../program/failure.ts';
import { onLeaving } from '../program/on-leaving.ts';
import { print, remark } from '../program/print.ts';
import type { Ops } from '../service-client/ops-client.ts';
import { followedReplay, type ToldReplay } from './followed-replay.ts';
import { replayProgress } from './replay-progress.ts';
import { accountText, differenceTexts, endText, leavingText } from './replay-text.ts';

/** What scripts rely on. */
export const answerOf = ({ name, from_generation, to_generation, events, seconds, verified }: ToldReplay) => ({
  name,
  from_generation,
  to_generation,
  events,
  seconds,
  verified,
});

/** Shows how a replay goes until it has ended, and then how; throws where that is not well. */
export const watchedReplay = async (ops: Ops, started: ToldReplay, command: Command): Promise<void> => {
  const progress = replayProgress();
  const stay = onLeaving(() => {
    progress.stop();
    remark(leavingText(started));
  });
  let ended: ToldReplay;
  try {
    ended = await followedReplay(ops, started, progress.onProgress);
  } finally {
    stay();
    progress.stop();
  }
  const differences = differenceTexts(ended);
  if (ended.state !== 'done') {
    const details = differences.map((message) => ({ path: 'differs', message }));
    throw new Failure(
      `The ${ended.kind} of ${ended.name} ${ended.state}: ${ended.error ?? 'it was asked to.'}`,
      details,
    );
  }
  for (const difference of differences) remark(`differs: ${difference}`);
  if (ended.accounts !== null) remark(accountText(ended.accounts));
  print(command, { value: answerOf(ended), text: endText(ended) });
};
