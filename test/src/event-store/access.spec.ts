import { endianness } from 'node:os';
import { findPeerUser, startEventStoreNode } from '@popsvc/embedded/event-store';
import { temporaryFolder } from '@popsvc/tools/rig';
import { expect } from 'chai';
import sinon from 'sinon';
import { connectTo, itsOwnNode, readAllOf, refusal, someEvents } from './store.fixture.ts';

const header = '  sl  local_address rem_address   st tx_queue rx_queue';
const connection = { localAddress: '127.0.0.1', localPort: 2113, remoteAddress: '127.0.0.1', remotePort: 40_000 };
const [loopback, other, mapped] =
  endianness() === 'LE'
    ? ['0100007F', '0200007F', '0000000000000000FFFF00000100007F']
    : ['7F000001', '7F000002', '00000000000000000000FFFF7F000001'];

const row = (local: string, remote: string, state: string, user: number) =>
  `   7: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000  ${user}        0 6738411 1 0000000000000000`;

describe('event store: access', function () {
  afterEach(() => sinon.restore());

  itsOwnNode('serves processes of its user', async () => {
    const node = await startEventStoreNode({ dataDir: await temporaryFolder('access'), port: 0 });
    const client = connectTo(`esdb://127.0.0.1:${node.port}?tls=false`);
    await client.appendToStream('s', someEvents(2));
    expect(await readAllOf(client, 's')).to.have.length(2);
    await client.dispose();
    await node.close();
  });

  itsOwnNode('refuses processes of other users before it reads from them', async () => {
    const dataDir = await temporaryFolder('access');
    const complaints = sinon.stub(process.stderr, 'write').returns(true);
    const node = await startEventStoreNode({ dataDir, port: 0, acceptsUser: () => false });
    const client = connectTo(`esdb://127.0.0.1:${node.port}?tls=false`);
    for (const call of [() => readAllOf(client, 's'), () => client.deleteStream('s')])
      expect(await refusal(call())).to.include({ type: 'unavailable' });
    complaints.restore();
    const lines = complaints.args.map(([line]) => String(line));
    expect(lines).to.deep.equal([`event store: refused a connection of user ${process.geteuid!()} of this machine\n`]);
    await client.dispose();
    await node.close();
  });

  it('finds the user of a connection by both of its ends', () => {
    const [peer, node] = [`${loopback}:9C40`, `${loopback}:0841`];
    const table = [
      header,
      row(node, '00000000:0000', '0A', 1),
      row(node, peer, '01', 2),
      row(`${other}:9C40`, node, '01', 3),
      row(peer, node, '01', 1_001),
    ].join('\n');
    expect(findPeerUser(table, connection)).to.equal(1_001);
    expect(findPeerUser(row(`${mapped}:9C40`, `${mapped}:0841`, '01', 1_002), connection)).to.equal(1_002);
    expect(findPeerUser(table, { ...connection, remotePort: 40_001 })).to.equal(undefined);
  });

  it('finds no user of a connection that its owner has closed, for which the kernel reports root', () => {
    for (const state of ['04', '05', '06'])
      expect(findPeerUser(row(`${loopback}:9C40`, `${loopback}:0841`, state, 0), connection), state).to.equal(
        undefined,
      );
  });
});
