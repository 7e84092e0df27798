import { type ServerReadableStream, type sendUnaryData } from '@grpc/grpc-js';
import { type ProposedEvent, type StreamStore, countedBytes } from '../streams/index.ts';
import { appendAnswer } from './append-answer.ts';
import { type WriteTarget, readAppendRequest } from './append-request.ts';
import { appendTooLarge, failureOf, invalid, stopping, streamDeleted } from './failure.ts';
import { type OpenCalls } from './open-calls.ts';
import { within } from './within.ts';
import { type WriteLimits } from './write-limits.ts';

type AppendCall = ServerReadableStream<Buffer, Buffer>;

const write = async (
  store: StreamStore,
  target: WriteTarget | undefined,
  events: readonly ProposedEvent[],
  limits: WriteLimits,
): Promise<Buffer> => {
  if (!target) throw invalid('The options are missing');
  const outcome = await within(limits.timeoutMs, store.appender.append(target.stream, target.expected, events));
  if (outcome.is === 'deleted') throw streamDeleted(target.stream);
  return appendAnswer(outcome, target.expected);
};

/** Streams/Append: options, then one event a message; written when the client has ended its side. */
export const appendCall =
  (store: StreamStore, calls: OpenCalls, limits: WriteLimits) =>
  (call: AppendCall, callback: sendUnaryData<Buffer>): void => {
    const events: ProposedEvent[] = [];
    let target: WriteTarget | undefined;
    let bytes = 0;
    let answered = false;
    const answer = (result: Buffer | undefined, error?: unknown): void => {
      if (answered) return;
      answered = true;
      leave();
      if (result) callback(null, result);
      else callback(failureOf(error));
    };
    const leave = calls.enter(() => answer(undefined, stopping()));
    call.on('data', (message: Buffer) => {
      if (answered) return;
      try {
        const part = readAppendRequest(message);
        if (part && 'stream' in part) target = part;
        else if (part) {
          events.push(part);
          bytes += countedBytes(part);
          if (bytes > limits.appendBytes) throw appendTooLarge(limits.appendBytes);
        }
      } catch (error) {
        answer(undefined, error);
      }
    });
    call.on('cancelled', () => {
      answered = true;
      leave();
    });
    call.on('end', () => {
      if (answered) return;
      write(store, target, events, limits).then(
        (result) => answer(result),
        (error: unknown) => answer(undefined, error),
      );
    });
  };
