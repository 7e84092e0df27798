import { openClickHouseWriter } from '@popsvc/platform/clickhouse';
import { expect } from 'chai';
import sinon from 'sinon';

describe('createDatabase', () => {
  afterEach(() => sinon.restore());

  it('reports a failure by its error and writes no log', async () => {
    const written = [sinon.stub(process.stderr, 'write'), sinon.stub(process.stdout, 'write')];
    const writer = openClickHouseWriter({
      url: 'http://127.0.0.1:1/nowhere',
      username: 'writer',
      password: 'any',
    });
    const error = await writer.createDatabase().catch((caught: unknown) => caught);
    const words = written.flatMap((stub) => stub.args.map(([text]) => String(text)));
    sinon.restore();
    expect(error).to.include({ code: 'ECONNREFUSED' });
    expect(words).to.deep.equal([]);
    await writer.close();
  });
});
