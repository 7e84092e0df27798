import type { z } from 'zod';
import {
  App,
  Camera,
  Campaign,
  Creative,
  Device,
  Feeder,
  Location,
  MetricDefinition,
  Network,
  Site,
  Vendor,
} from './entities.ts';

/** Every kind of registry entity, in the order in which one may refer to another: key in the file, schema, stem of its events. */
export const registryKinds = {
  networks: { schema: Network, event: 'Network', stem: 'network' },
  vendors: { schema: Vendor, event: 'Vendor', stem: 'vendor' },
  sites: { schema: Site, event: 'Site', stem: 'site' },
  locations: { schema: Location, event: 'Location', stem: 'location' },
  devices: { schema: Device, event: 'Device', stem: 'device' },
  feeders: { schema: Feeder, event: 'Feeder', stem: 'feeder' },
  cameras: { schema: Camera, event: 'Camera', stem: 'camera' },
  apps: { schema: App, event: 'App', stem: 'app' },
  campaigns: { schema: Campaign, event: 'Campaign', stem: 'campaign' },
  creatives: { schema: Creative, event: 'Creative', stem: 'creative' },
  metric_definitions: { schema: MetricDefinition, event: 'MetricDefinition', stem: 'metric-definition' },
} as const;

export type RegistryKind = keyof typeof registryKinds;
export type EntityOf<Kind extends RegistryKind> = z.output<(typeof registryKinds)[Kind]['schema']>;

export const registryKindNames = Object.keys(registryKinds) as RegistryKind[];
