import { expect } from 'chai';
import {
  binaryEvent,
  END,
  eventTypeFilter,
  type Filter,
  jsonEvent,
  START,
  streamNameFilter,
} from '@eventstore/db-client';
import { startEventStoreNode } from '@popsvc/embedded/event-store';
import { temporaryFolder } from '@popsvc/tools/rig';
import { follow } from './subscription.fixture.ts';
import {
  callCredentials,
  connect,
  connectTo,
  itsOwnNode,
  newStream,
  readAllOf,
  refusal,
  someEvents,
} from './store.fixture.ts';

const longest = (): string => newStream().padEnd(1024, 'x');

describe('event store: bounds of names and filters', function () {
  itsOwnNode('accepts stream names and event types of 1 KiB, and refuses longer ones with a clear error', async () => {
    const client = await connect();
    const name = longest();
    await client.appendToStream(name, [...someEvents(1), jsonEvent({ type: 'T'.repeat(1024), data: {} })]);
    await client.setStreamMetadata(name, { maxCount: 1 });
    expect(await readAllOf(client, name)).to.have.length(1);
    await client.deleteStream(name);
    const tooLong = 'The stream name has 1025 bytes; at most 1024 are allowed';
    const refused = [
      () => client.appendToStream(`${name}y`, someEvents(1)),
      () => client.appendToStream(`${name}y`, someEvents(1), { credentials: callCredentials }),
      () => client.deleteStream(`${name}y`),
      () => client.tombstoneStream(`${name}y`),
      () => readAllOf(client, `${name}y`),
      () => follow(client.subscribeToStream(`${name}y`, { fromRevision: START })).until(() => false),
    ];
    for (const call of refused) expect((await refusal(call()))['message']).to.contain(tooLong);
    const longType = client.appendToStream(
      newStream(),
      binaryEvent({ type: 'T'.repeat(1025), data: new Uint8Array() }),
    );
    expect((await refusal(longType))['message']).to.contain('The event type has 1025 bytes');
    const long = client.appendToStream('é'.repeat(1_000_000), someEvents(1));
    expect((await refusal(long))['message']).to.contain('The stream name has 2000000 bytes');
  });

  itsOwnNode('a regular expression of any kind does not block other calls', async () => {
    const node = await startEventStoreNode({ dataDir: await temporaryFolder('filters'), port: 0 });
    const client = connectTo(`esdb://127.0.0.1:${node.port}?tls=false`);
    const name = 'a'.repeat(1000);
    await client.appendToStream(`${name}!`, someEvents(1, `${name}!`));
    // A backtracking engine needs more than 2^1000 steps for these expressions.
    for (const filter of [streamNameFilter({ regex: '^(a+)+$' }), eventTypeFilter({ regex: '^(a|aa)+$' })]) {
      const followed = follow(client.subscribeToAll({ fromPosition: START, filter }));
      await followed.until(() => followed.story.includes('caughtUp'));
      expect(followed.events).to.have.length(0);
      await followed.stop();
    }
    await client.dispose();
    await node.close();
  });

  itsOwnNode('refuses filters that it cannot bound', async () => {
    const client = await connect();
    const refused: [Filter, string][] = [
      [streamNameFilter({ regex: '(?=a)b' }), 'not a regular expression in RE2 syntax'],
      [streamNameFilter({ regex: '(a)\\1' }), 'not a regular expression in RE2 syntax'],
      [streamNameFilter({ regex: '(.{30}){30}x{900}' }), 'repeats too much'],
      [streamNameFilter({ regex: 'x'.repeat(1025) }), 'longer than 1024 bytes'],
      [streamNameFilter({ prefixes: Array.from({ length: 1001 }, (_, n) => `p${n}`) }), 'more than 1000 prefixes'],
    ];
    for (const [filter, reason] of refused) {
      const followed = follow(client.subscribeToAll({ fromPosition: END, filter }));
      expect((await refusal(followed.until(() => false)))['message']).to.contain(reason);
    }
  });
});
