import { networkOfStream, networkStreamPrefixes, streamPrefixes } from '@popsvc/contracts/events';
import { digitsOf, onlyShard, ownsAllNetworks, ownsNetwork, type Partition } from './partition.ts';

/** A `pattern`, in RE2 syntax, replaces `prefixes`. */
export interface PartitionStreams {
  readonly prefixes: readonly string[];
  readonly pattern?: string;
}

/** Selects the streams of the partition's networks, and all streams whose name contains no network, such as those of the registry. */
export const selectStreams = (prefixes: readonly string[], partition: Partition): PartitionStreams => {
  if (ownsAllNetworks(partition)) return { prefixes };
  const ofNetwork = prefixes.filter((prefix) => networkStreamPrefixes.includes(prefix));
  const others = prefixes.filter((prefix) => !ofNetwork.includes(prefix));
  const withNetwork =
    ofNetwork.length === 0 ? [] : [`(?:${ofNetwork.join('|')})[0-9]*[${digitsOf(partition).join('')}][.]`];
  return { prefixes, pattern: `^(?:${[...withNetwork, ...others].join('|')})` };
};

interface EventOrigin {
  readonly stream: string;
  readonly metadata: { readonly network?: number | undefined } | undefined;
}

/** All partitions process the events of a shared stream. */
const isSharedStream = (stream: string): boolean =>
  networkOfStream(stream) === undefined && !stream.startsWith(streamPrefixes.liveness);

/**
 * The names of liveness streams contain no network, so the metadata decide. Partition 0 of the first shard owns such events without a
 * valid network.
 */
export const ownsEvent = (partition: Partition, { stream, metadata }: EventOrigin): boolean => {
  if (ownsAllNetworks(partition) || isSharedStream(stream)) return true;
  const network = networkOfStream(stream) ?? metadata?.network;
  if (Number.isSafeInteger(network) && network! >= 0) return ownsNetwork(partition, network!);
  const { index, shard = onlyShard } = partition;
  return index === 0 && shard.index === 0;
};

/** Returns false if the name of a stream contains a network of another partition. */
export const mayOwnStream = (partition: Partition, stream: string): boolean => {
  const network = networkOfStream(stream);
  return network === undefined || ownsNetwork(partition, network);
};
