import type { RegistryFile } from '@popsvc/contracts/registry';

/** A creative of a campaign, with the external ids and the duration that a play reports. */
export interface Spot {
  readonly campaignId: string;
  readonly creativeId: string;
  readonly durationMs: number;
}

/** Campaigns of a network in two forms: `spots` for the media players, and `file` for the registry file. */
export interface Campaigns {
  readonly spots: readonly Spot[];
  readonly file: Pick<RegistryFile, 'campaigns' | 'creatives'>;
}

const advertisers = [
  ['Autumn coats', 10],
  ['River festival', 15],
  ['Espresso', 5],
  ['Train wifi', 15],
  ['City bikes', 10],
  ['Night museum', 20],
  ['Oat milk', 10],
  ['Savings bank', 30],
] as const;

const formats = ['portrait', 'landscape'];

/** Creates the campaigns of a network, with two creatives each. The external ids are the same in every network. */
export const createCampaigns = (network: number): Campaigns => {
  const idOf = (index: number) => network * 1_000 + index + 1;
  const campaigns = advertisers.map(([name], index) => ({
    id: idOf(index),
    network,
    external_id: `ORD-${index + 1}`,
    name,
    subscription_name: index % 2 === 0 ? 'Premium' : 'Standard',
    strategies: [
      { id: idOf(index) * 10 + 1, name: 'Commuters' },
      ...(index % 2 === 0 ? [{ id: idOf(index) * 10 + 2, name: 'Shoppers' }] : []),
    ],
  }));
  const creatives = advertisers.flatMap(([name, seconds], index) =>
    formats.map((format, version) => ({
      external_id: `CR-${index + 1}${format[0]!.toUpperCase()}`,
      title: `${name.toLowerCase()} ${seconds}s ${format}.mp4`,
      display_title: `${name}, ${format}`,
      campaign: idOf(index),
      ...(index % 2 === 0 && { strategy: idOf(index) * 10 + 1 + version }),
      duration_ms: seconds * 1_000,
    })),
  );
  const spots = creatives.map(({ external_id: creativeId, campaign, duration_ms: durationMs }) => ({
    campaignId: campaigns.find(({ id }) => id === campaign)!.external_id,
    creativeId,
    durationMs,
  }));
  return { spots, file: { campaigns, creatives } };
};
