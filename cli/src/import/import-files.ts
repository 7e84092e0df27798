import type { RegistryFile } from '@popsvc/contracts/registry';
import type { Connected } from '../program/connect.ts';
import { applyFile } from '../registry/apply-file.ts';
import type { AppliedRegistry } from '../registry/told-registry.ts';
import { type Sender, withTemporaryKey } from '../service-client/temporary-key.ts';
import { type Target, vendorPushes } from '../service-client/vendor-pushes.ts';
import { pushRows } from './push-rows.ts';
import { readDetections } from './read-detections.ts';
import { readPlayout } from './read-playout.ts';
import { senderOfFile } from './sender-of-file.ts';
import type { ImportCounts } from './tally.ts';
import { tracesOfDetections, tracesOfPlayout } from './traces-of.ts';

export interface ImportWish extends Partial<Sender> {
  readonly registry?: string | undefined;
  readonly playout?: string | undefined;
  readonly detections?: string | undefined;
  /** A vendor's own key; without it one is made for this import. */
  readonly apiKey?: string | undefined;
}

export interface Imported {
  readonly registry?: AppliedRegistry;
  readonly plays?: ImportCounts;
  readonly detections?: ImportCounts;
}

const pushFiles = async ({ playout, detections }: ImportWish, target: Target): Promise<Imported> => {
  const pushes = vendorPushes(target);
  return {
    ...(playout !== undefined && { plays: await pushRows(readPlayout(playout), pushes.plays) }),
    ...(detections !== undefined && { detections: await pushRows(readDetections(detections), pushes.detections) }),
  };
};

/** Loads files over the public interface: first the registry, then plays, then detections. */
export const importFiles = async (wish: ImportWish, { ops, service }: Connected): Promise<Imported> => {
  const registry = wish.registry === undefined ? undefined : await applyFile(ops, wish.registry, {});
  const told = registry && { registry };
  const { ingestUrl } = service;
  if (wish.apiKey !== undefined) return { ...told, ...(await pushFiles(wish, { ingestUrl, apiKey: wish.apiKey })) };
  const traces =
    wish.playout === undefined ? await tracesOfDetections(wish.detections!) : await tracesOfPlayout(wish.playout);
  const sender = senderOfFile(await ops<RegistryFile>('/registry'), traces, wish);
  return withTemporaryKey(ops, sender, 'import', async (apiKey) => ({
    ...told,
    network_id: sender.network,
    vendor: sender.vendor,
    ...(await pushFiles(wish, { ingestUrl, apiKey })),
  }));
};
