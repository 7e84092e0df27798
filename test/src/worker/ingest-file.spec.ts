import { ingestFile } from '@popsvc/command-api/worker';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';

const from = { toRow: 0, nextRevision: 0, bytesRead: 0, processedRows: 0, errorRows: 0 };

async function* oneRowChunks(count: number) {
  for (let row = 1; row <= count; row += 1) {
    const progress = { ...from, toRow: row, processedRows: row };
    yield await Promise.resolve({ event: undefined, revision: 0, errors: [], progress });
  }
}

/** Runs a file of three chunks. `stopAnswers`: what `isStopping` returns in turn; false afterwards. */
const ingest = async (stopAnswers: readonly boolean[]) => {
  const answers = [...stopAnswers];
  const events: string[] = [];
  const isFinished = await ingestFile({
    chunks: oneRowChunks(3),
    from,
    takeTurn: () => Promise.resolve(() => undefined),
    appendRows: () => Promise.resolve(),
    jobLog: {
      append: (...added) => {
        events.push(...added.map(({ type }) => type));
        return Promise.resolve();
      },
    },
    attemptKey: { jobId: 'job', attempt: 1 },
    isStopping: () => answers.shift() ?? false,
    countRows: () => undefined,
    findFault: () => undefined,
    findMultiLineRows: () => undefined,
    log: createLog('test', 'silent'),
  });
  return { isFinished, events };
};

describe('the ingestion of a file', () => {
  it('ends the job after the last row', async () => {
    expect(await ingest([])).to.deep.equal({
      isFinished: true,
      events: ['BulkRowsIngested', 'BulkIngestCompleted'],
    });
  });

  it('ends no job with unread rows when the lease is renewed after the run was stopped', async () => {
    expect(await ingest([false, true, false])).to.deep.equal({ isFinished: false, events: ['BulkRowsIngested'] });
  });
});
