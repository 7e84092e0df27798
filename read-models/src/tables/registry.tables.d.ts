import { type Field } from '@popsvc/platform/clickhouse';
export declare const registryTables: {
  readonly networks: {
    name: string;
    about: string;
    orderBy: readonly ('name' | 'network_id' | 'timezone')[];
    replacing: {
      version: string;
    };
    fields: {
      readonly network_id: Field;
      readonly name: Field;
      readonly timezone: Field;
    } & {
      version: Field;
    };
  };
  readonly vendors: {
    name: string;
    about: string;
    orderBy: readonly ('code' | 'name' | 'network_id')[];
    replacing: {
      version: string;
    };
    fields: {
      readonly network_id: Field;
      readonly code: Field;
      readonly name: Field;
    } & {
      version: Field;
    };
  };
  readonly sites: {
    name: string;
    about: string;
    orderBy: readonly ('name' | 'network_id' | 'site_id' | 'timezone')[];
    replacing: {
      version: string;
    };
    fields: {
      readonly network_id: Field;
      readonly site_id: Field;
      readonly name: Field;
      readonly timezone: Field;
    } & {
      version: Field;
    };
  };
  readonly locations: {
    name: string;
    about: string;
    orderBy: readonly ('location_id' | 'name' | 'network_id' | 'site_id')[];
    replacing: {
      version: string;
    };
    fields: {
      readonly network_id: Field;
      readonly location_id: Field;
      readonly site_id: Field;
      readonly name: Field;
    } & {
      version: Field;
    };
  };
  readonly devices: {
    name: string;
    about: string;
    orderBy: readonly ('device_id' | 'location_id' | 'name' | 'network_id' | 'retired')[];
    replacing: {
      version: string;
    };
    fields: {
      readonly network_id: Field;
      readonly device_id: Field;
      readonly location_id: Field;
      readonly name: Field;
      readonly retired: Field;
    } & {
      version: Field;
    };
  };
  readonly feeders: {
    name: string;
    about: string;
    orderBy: readonly ('device_id' | 'feeder_id' | 'name' | 'network_id' | 'only_camera_id' | 'retired')[];
    replacing: {
      version: string;
    };
    fields: {
      readonly network_id: Field;
      readonly feeder_id: Field;
      readonly device_id: Field;
      readonly name: Field;
      readonly only_camera_id: Field;
      readonly retired: Field;
    } & {
      version: Field;
    };
  };
  readonly cameras: {
    name: string;
    about: string;
    orderBy: readonly ('camera_id' | 'device_id' | 'name' | 'network_id')[];
    replacing: {
      version: string;
    };
    fields: {
      readonly network_id: Field;
      readonly camera_id: Field;
      readonly device_id: Field;
      readonly name: Field;
    } & {
      version: Field;
    };
  };
  readonly apps: {
    name: string;
    about: string;
    orderBy: readonly ('code' | 'name')[];
    replacing: {
      version: string;
    };
    fields: {
      readonly code: Field;
      readonly name: Field;
    } & {
      version: Field;
    };
  };
  readonly campaigns: {
    name: string;
    about: string;
    orderBy: readonly (
      'campaign_id' | 'external_id' | 'name' | 'network_id' | 'strategy_id' | 'strategy_name' | 'subscription_name'
    )[];
    replacing: {
      version: string;
    };
    fields: {
      readonly network_id: Field;
      readonly external_id: Field;
      readonly campaign_id: Field;
      readonly name: Field;
      readonly subscription_name: Field;
      readonly strategy_id: Field;
      readonly strategy_name: Field;
    } & {
      version: Field;
    };
  };
  readonly creatives: {
    name: string;
    about: string;
    orderBy: readonly ('display_title' | 'external_id' | 'network_id' | 'strategy_id' | 'strategy_name' | 'title')[];
    replacing: {
      version: string;
    };
    fields: {
      readonly network_id: Field;
      readonly external_id: Field;
      readonly title: Field;
      readonly display_title: Field;
      readonly strategy_id: Field;
      readonly strategy_name: Field;
    } & {
      version: Field;
    };
  };
  readonly metric_definitions: {
    name: string;
    about: string;
    orderBy: readonly ('definition' | 'effective_from' | 'network_id' | 'thresholds')[];
    replacing: {
      version: string;
    };
    fields: {
      readonly network_id: Field;
      readonly definition: Field;
      readonly effective_from: Field;
      readonly thresholds: Field;
    } & {
      version: Field;
    };
  };
};
//# sourceMappingURL=registry.tables.d.ts.map
