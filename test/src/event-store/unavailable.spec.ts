import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  AccessDeniedError,
  convertToCommandError,
  DeadlineExceededError,
  EventStoreDBClient,
  UnavailableError,
  UnknownError,
} from '@eventstore/db-client';
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { type EventStore, EventStoreUnavailable, openEventStore } from '@popsvc/platform/event-store';
import { expect } from 'chai';
import sinon from 'sinon';

const serviceError = (code: status, details: string, trailers: Readonly<Record<string, string>> = {}): Error => {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value);
  const error: ServiceError = Object.assign(new Error(`${code} ${status[code]}: ${details}`), {
    code,
    details,
    metadata,
  });
  return convertToCommandError(error);
};

const noLeader = 'the event store has no leader, or it was not found';
const notLeader = { exception: 'not-leader', 'leader-endpoint-host': 'b', 'leader-endpoint-port': '2113' };

/** What the client threw while the nodes of a cluster of EventStoreDB 24.10.4 were killed, and what the service makes of it. */
const failures = [
  ['a cluster without a leader', () => new Error('Failed to discover after 10 attempts.'), 'no-leader', noLeader],
  [
    'a node that lost its role during an append',
    () => new UnknownError(undefined, 'Could not recognize Server Is Not Ready'),
    'no-leader',
    `${noLeader}: Could not recognize Server Is Not Ready`,
  ],
  ['a node that starts', () => serviceError(status.UNAVAILABLE, 'Server Is Not Ready'), 'no-leader', noLeader],
  ['an append with the error Unknown', () => new UnknownError(), 'no-leader', noLeader],
  [
    'a node that is not the leader',
    () => serviceError(status.NOT_FOUND, 'Leader info', notLeader),
    'no-leader',
    noLeader,
  ],
  [
    'a request that cannot be forwarded',
    () => serviceError(status.UNKNOWN, 'No leader info available in response'),
    'no-leader',
    noLeader,
  ],
  ['an append without an answer', () => new DeadlineExceededError(), undefined, 'the event store gave no reason'],
  [
    'a dead node',
    () => new UnavailableError(serviceError(status.UNAVAILABLE, 'No connection established') as ServiceError),
    undefined,
    '14 UNAVAILABLE: No connection established',
  ],
  [
    'an append without the right to it',
    () => new AccessDeniedError(),
    'access-denied',
    'the event store denies access to the login',
  ],
  [
    'a read without the right to it',
    () => serviceError(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' }),
    'access-denied',
    'the event store denies access to the login: 7 PERMISSION_DENIED: Access Denied',
  ],
  [
    'a wrong password',
    () => serviceError(status.UNAUTHENTICATED, 'Authentication failed'),
    'login-rejected',
    'the event store rejects the login: 16 UNAUTHENTICATED',
  ],
] as const;

describe('the adapter to the event store, for a store that is unavailable', () => {
  let store: EventStore;
  before(() => (store = openEventStore({ url: 'esdb://a.invalid:2113,b.invalid:2113?tls=false' })));
  afterEach(() => sinon.restore());
  after(() => store.close());

  const append = () =>
    store.append(
      'failing-1',
      [{ id: randomUUID(), type: 'Recorded', data: {}, metadata: { schemaVersion: 1, receivedAt: '' } }],
      { timeoutMs: 50 },
    );
  const caught = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: unknown) => error,
    );

  for (const [title, create, reason, message] of failures)
    it(`reports ${title} as unavailable, so that callers retry, with a message`, async () => {
      sinon.stub(EventStoreDBClient.prototype, 'appendToStream').rejects(create());
      const error = await caught(append());
      expect(error).to.be.instanceOf(EventStoreUnavailable).and.to.include({ reason });
      expect((error as Error).message.startsWith(message), (error as Error).message).to.equal(true);

      sinon.stub(EventStoreDBClient.prototype, 'readAll').throws(create());
      const ofRead = await caught(store.readHeadPosition());
      expect(ofRead).to.be.instanceOf(EventStoreUnavailable).and.to.include({ reason });
    });

  it('names the rights that the login lacks, and no right if an append is refused for another reason', async () => {
    const denied = () => new AccessDeniedError();
    const read = sinon.stub(EventStoreDBClient.prototype, 'readAll').throws(denied());
    const appended = sinon.stub(EventStoreDBClient.prototype, 'appendToStream').rejects(denied());
    expect(await store.findMissingRights()).to.deep.equal(['read-all', 'append']);
    appended.rejects(serviceError(status.UNAVAILABLE, 'no space'));
    expect(await store.findMissingRights()).to.deep.equal(['read-all']);
    read.throws(serviceError(status.UNAUTHENTICATED, 'Authentication failed'));
    expect(await caught(store.findMissingRights())).to.include({ reason: 'login-rejected' });
  });

  it('cancels a read that the server does not answer in time', async () => {
    let isCancelled = false;
    const reading = new Readable({ objectMode: true, read: () => undefined }) as unknown as ReturnType<
      EventStoreDBClient['readAll']
    >;
    reading.cancel = () => {
      isCancelled = true;
      return Promise.resolve();
    };
    sinon.stub(EventStoreDBClient.prototype, 'readAll').returns(reading);
    const error = await caught(store.readHeadPosition());
    expect(error).to.be.instanceOf(EventStoreUnavailable);
    expect((error as Error).message).to.equal('reading one event of the log took longer than 2000 ms');
    expect(isCancelled).to.equal(true);
  });

  it('reports a cluster of which no node answers within the timeout of the append', async () => {
    const error = await caught(append());
    expect(error).to.be.instanceOf(EventStoreUnavailable);
    expect((error as Error).message).to.match(/^the append took longer than 50 ms$/);
  });
});
