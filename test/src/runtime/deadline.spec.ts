import { DeadlineExceeded, withDeadline } from '@popsvc/platform/runtime';
import { expect } from 'chai';

describe('withDeadline', () => {
  it('settles as the operation does', async () => {
    expect(await withDeadline(Promise.resolve(1), 1_000)).to.equal(1);
    const failed = await withDeadline(Promise.reject(new Error('failed')), 1_000).catch((error: unknown) => error);
    expect(failed).to.have.property('message', 'failed');
  });

  it('rejects after the deadline with whole milliseconds in the message', async () => {
    const late = await withDeadline(new Promise(() => undefined), 4.521246000004, 'the append').catch(
      (error: unknown) => error,
    );
    expect(late).to.be.instanceOf(DeadlineExceeded).and.to.have.property('message', 'the append took longer than 5 ms');
  });
});
