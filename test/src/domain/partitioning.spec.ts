import { bulkRowsStream, intakeStream, livenessStream, mappingStream, probeStream } from '@popsvc/contracts/events';
import {
  digitsOf,
  findShard,
  listPartitions,
  listShards,
  maxPartitionsOf,
  maxShards,
  ownsEvent,
  ownsNetwork,
  selectStreams,
  type Shard,
} from '@popsvc/domain/partitioning';
import { allProjections } from '@popsvc/projectors/projections';
import { expect } from 'chai';

const { streams } = allProjections.find(({ name }) => name === 'coffee')!;
const networks = [1, 7, 10, 93, 128, 4_294_967_296];
const at = Date.parse('2026-08-20T00:00:00Z');

describe('partitions', () => {
  for (const count of [1, 2, 3, 4, 7, 10])
    it(`of ${count} own each network and each of its streams once`, () => {
      const partitions = listPartitions(count);
      for (const network of networks) {
        expect(partitions.filter((partition) => ownsNetwork(partition, network))).to.have.length(1);
        for (const stream of [intakeStream('pop', network, 'a.7', at), bulkRowsStream(network, 'job-3')])
          for (const partition of partitions) {
            const { pattern, prefixes } = selectStreams(streams, partition);
            const isSelected =
              pattern === undefined
                ? prefixes.some((prefix) => stream.startsWith(prefix))
                : new RegExp(pattern).test(stream);
            expect(isSelected, `${stream} in ${partition.index}`).to.equal(ownsNetwork(partition, network));
            expect(ownsEvent(partition, { stream, metadata: { network } })).to.equal(isSelected);
          }
      }
    });

  it('of shards own each digit once, for each number of shards and partitions', () => {
    const digits = Array.from({ length: 10 }, (_, digit) => digit);
    for (let shards = 1; shards <= maxShards; shards += 1)
      for (let count = 1; count <= maxPartitionsOf(shards); count += 1) {
        const partitions = listShards(shards).flatMap((shard) => listPartitions(count, shard));
        expect(partitions.flatMap(digitsOf).sort(), `${count} of ${shards} shards`).to.deep.equal(digits);
        for (const partition of partitions) expect(digitsOf(partition)).not.to.deep.equal([]);
        for (const network of networks) {
          const [owner, ...others] = partitions.filter((partition) => ownsNetwork(partition, network));
          expect(others).to.deep.equal([]);
          expect(owner!.shard).to.deep.equal(findShard(partitions as { shard: Shard }[], network).shard);
        }
      }
  });

  it('read all streams without a network in their name', () => {
    for (const partition of listPartitions(4)) {
      const { pattern } = selectStreams(streams, partition);
      for (const stream of [
        mappingStream('acme-7.1'),
        probeStream('projectors'),
        'registry-network.8',
        'parking-coffee',
      ])
        expect(new RegExp(pattern!).test(stream), stream).to.equal(true);
      for (const stream of ['upload-7.1', 'parking-uptime', 'x-pop-1.a.20260820'])
        expect(new RegExp(pattern!).test(stream), stream).to.equal(false);
    }
  });

  it('fold events of liveness by the network in their metadata, and the first one those without a network', () => {
    const owners = (network: number | undefined) =>
      listPartitions(4)
        .filter((partition) => ownsEvent(partition, { stream: livenessStream('device', 3), metadata: { network } }))
        .map(({ index }) => index);
    expect(owners(17)).to.deep.equal([3]);
    expect(owners(undefined)).to.deep.equal([0]);
    expect(owners(-1)).to.deep.equal([0]);
  });
});
