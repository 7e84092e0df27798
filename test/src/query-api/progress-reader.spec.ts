import type { ClickHouseReader } from '@popsvc/platform/clickhouse';
import { createLog } from '@popsvc/platform/telemetry';
import { createProgressReader } from '@popsvc/query-api/generations';
import { expect } from 'chai';
import sinon from 'sinon';

const progressAt = (position: string) => [
  {
    projection: 'coffee',
    generation: 1,
    tables_id: '',
    position,
    changed_position: position,
    as_of_ms: 0,
    pending: [],
  },
];

describe('the progress of projections', () => {
  let clock: sinon.SinonFakeTimers;
  const reads: { resolve: (rows: unknown[]) => void; reject: (error: Error) => void }[] = [];
  const rows = () => new Promise<unknown[]>((resolve, reject) => reads.push({ resolve, reject }));
  beforeEach(() => {
    clock = sinon.useFakeTimers({ toFake: ['performance'] });
    reads.length = 0;
  });
  afterEach(() => clock.restore());
  const createReader = () => createProgressReader({ rows } as unknown as ClickHouseReader, createLog('test', 'silent'));

  it('is read once in 250 ms, and again after a failure', async () => {
    const readProgress = createReader();
    const failed = readProgress('coffee');
    reads[0]!.reject(new Error('no connection'));
    expect(await failed).to.equal(undefined);
    const both = [readProgress('coffee'), readProgress('coffee')];
    reads[1]!.resolve(progressAt('5'));
    for (const progress of await Promise.all(both)) expect(progress).to.include({ position: 5n });
    clock.tick(250);
    expect(await readProgress('coffee')).to.include({ position: 5n });
    clock.tick(1);
    const later = readProgress('coffee');
    reads[2]!.resolve(progressAt('6'));
    expect(await later).to.include({ position: 6n });
    expect(reads).to.have.length(3);
  });

  it('is kept when an older read fails later', async () => {
    const readProgress = createReader();
    const slow = readProgress('coffee');
    clock.tick(251);
    const next = readProgress('coffee');
    reads[1]!.resolve(progressAt('5'));
    expect(await next).to.include({ position: 5n });
    reads[0]!.reject(new Error('no connection'));
    expect(await slow).to.equal(undefined);
    expect(await readProgress('coffee')).to.include({ position: 5n });
    expect(reads).to.have.length(2);
  });
});
