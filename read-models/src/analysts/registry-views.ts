import { liveness, registryTables } from '../tables/index.ts';
import {
  as,
  column,
  defineAnalystView,
  dictionaryValue,
  ofNetwork,
  type OwnRows,
  unseenNumber,
  unseenText,
} from './analyst-view.ts';

const {
  networks: network,
  sites: site,
  devices: device,
  campaigns: campaign,
  creatives: creative,
  vendors: vendor,
} = registryTables;

const nowNote = 'in its current state; retired ones are included, since past reports contain them';
const unmarkedNote = 'in its current state; retired ones are included without a mark, since past reports contain them';

export const networks = defineAnalystView({
  name: 'networks',
  about: `One row per network you may see, ${nowNote}.`,
  from: (ownRows) => `${ownRows(network)} AS r`,
  columns: {
    network_id: ofNetwork.network_id,
    network: as(network, 'name'),
    timezone: as(network, 'timezone', 'r.timezone', 'Zone of the network, where a site has none of its own.'),
    retired: as(network, 'retired', 'r.retired', '1 while it is retired.'),
  },
});

export const vendors = defineAnalystView({
  name: 'vendors',
  about: `One row per vendor, ${nowNote}.`,
  from: (ownRows) => `${ownRows(vendor)} AS r`,
  columns: {
    ...ofNetwork,
    vendor: as(vendor, 'code', unseenText('r.code')),
    vendor_name: as(vendor, 'name'),
    retired: as(vendor, 'retired', 'r.retired', '1 while it is retired.'),
  },
});

export const sites = defineAnalystView({
  name: 'sites',
  about: `One row per site, ${unmarkedNote}.`,
  from: (ownRows) => `${ownRows(site)} AS r`,
  columns: {
    ...ofNetwork,
    site_id: as(site, 'site_id', unseenNumber('r.site_id'), 'Site.'),
    site: as(site, 'name'),
    timezone: as(site, 'timezone'),
    opens: as(site, 'opens'),
    closes: as(site, 'closes'),
  },
});

const deviceHeartbeats = (ownRows: OwnRows) =>
  `(SELECT network_id, id, last_received_at FROM ${ownRows(liveness)} WHERE kind = 'device')`;
const siteOfDevice = `ifNull(${dictionaryValue('locations', 'site_id', 'r.location_id')}, 0)`;
const lastHeartbeat = "nullIf(l.last_received_at, toDateTime64(0, 3, 'UTC'))";

export const devices = defineAnalystView({
  name: 'devices',
  about: `One row per device with its place, ${nowNote}. The views of plays and people have the place at the time of a play.`,
  from: (ownRows) =>
    `${ownRows(device)} AS r LEFT JOIN ${deviceHeartbeats(ownRows)} AS l ON l.network_id = r.network_id AND l.id = r.device_id`,
  columns: {
    ...ofNetwork,
    device_id: as(device, 'device_id', unseenNumber('r.device_id'), 'Device.'),
    device: as(device, 'name'),
    location_id: column('Nullable(UInt64)', 'Location; null while unknown.', 'nullIf(r.location_id, 0)'),
    location: column(
      'Nullable(String)',
      'Current name of the location.',
      dictionaryValue('locations', 'name', 'r.location_id'),
    ),
    site_id: column('Nullable(UInt64)', 'Site; null while unknown.', `nullIf(${siteOfDevice}, 0)`),
    site: column('Nullable(String)', 'Current name of the site.', dictionaryValue('sites', 'name', siteOfDevice)),
    retired: as(device, 'retired', 'r.retired', '1 while it is retired.'),
    retired_at: column(
      "Nullable(DateTime64(3, 'UTC'))",
      'When it was retired, or last changed after that; null while it is in use.',
      `if(r.retired = 1, r.changed_at, NULL)`,
    ),
    last_heartbeat_at: column(
      "Nullable(DateTime64(3, 'UTC'))",
      'Receipt of the last heartbeat of the device, or of an app on it, that arrived within 300 s of its time; null without one. Later ones do not count.',
      lastHeartbeat,
    ),
    online: column(
      'UInt8',
      '1 when last_heartbeat_at is within the last 300 s.',
      // The joined time is null for a device without a heartbeat if the analyst sets join_use_nulls.
      `toUInt8(ifNull(l.last_received_at >= now64(3) - 300, 0))`,
    ),
  },
});

export const campaigns = defineAnalystView({
  name: 'campaigns',
  about: `One row per campaign, ${unmarkedNote}. Join with plays by (network_id, campaign_ref); names are in plays already.`,
  from: (ownRows) => `${ownRows(campaign)} AS r`,
  columns: {
    ...ofNetwork,
    campaign_ref: as(campaign, 'external_id', unseenText('r.external_id'), 'Campaign as vendors name it.'),
    campaign_id: as(campaign, 'campaign_id', 'r.campaign_id', 'Campaign.'),
    campaign: as(campaign, 'name'),
    subscription: as(campaign, 'subscription_name'),
    strategy_id: as(campaign, 'strategy_id', 'r.strategy_id', 'Its targeting strategy, where it has just one.'),
    strategy: as(campaign, 'strategy_name', 'r.strategy_name', 'Name of the strategy.'),
  },
});

export const creatives = defineAnalystView({
  name: 'creatives',
  about: `One row per creative, ${unmarkedNote}. Join with plays by (network_id, creative_ref).`,
  from: (ownRows) => `${ownRows(creative)} AS r`,
  columns: {
    ...ofNetwork,
    creative_ref: as(creative, 'external_id', unseenText('r.external_id'), 'Creative as vendors name it.'),
    creative: as(creative, 'display_title'),
    title: as(creative, 'title'),
    strategy_id: as(
      creative,
      'strategy_id',
      'r.strategy_id',
      'Its own targeting strategy; null: that of its campaign.',
    ),
    strategy: as(creative, 'strategy_name', 'r.strategy_name', 'Name of the strategy.'),
  },
});
