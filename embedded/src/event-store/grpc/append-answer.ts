import { type AppendOutcome, type ExpectedRevision } from '../streams/index.ts';
import { ProtobufWriter } from '../protobuf/wire-writer.ts';

/** Success of Append and BatchAppend: the last revision and its position. */
export const writeSuccess = (success: ProtobufWriter, outcome: AppendOutcome & { is: 'appended' }): void => {
  if (outcome.revision < 0) success.message(2);
  else success.uint(1, outcome.revision);
  const { position } = outcome;
  if (position === undefined) success.message(4);
  else success.message(3, (inner) => inner.uint(1, position).uint(2, position));
};

const writeExpected = (target: ProtobufWriter, expected: ExpectedRevision): void => {
  if (typeof expected === 'bigint') target.uint(8, expected).uint(3, expected);
  else if (expected === 'any') target.message(9).message(4);
  else if (expected === 'stream_exists') target.message(10).message(5);
  else target.message(11);
};

/** AppendResp. A wrong version is an answer, not an error; it stands in the fields of today and of version 20.6. */
export const appendAnswer = (
  outcome: Exclude<AppendOutcome, { is: 'deleted' }>,
  expected: ExpectedRevision,
): Buffer => {
  const answer = new ProtobufWriter();
  if (outcome.is === 'appended') return answer.message(1, (success) => writeSuccess(success, outcome)).finish();
  return answer
    .message(2, (wrong) => {
      if (outcome.current < 0) wrong.message(2).message(7);
      else wrong.uint(1, outcome.current).uint(6, outcome.current);
      writeExpected(wrong, expected);
    })
    .finish();
};

/** DeleteResp and TombstoneResp. */
export const deleteAnswer = (position: number): Buffer =>
  new ProtobufWriter().message(1, (inner) => inner.uint(1, position).uint(2, position)).finish();
