import { audience } from './audience.analysts.ts';
import { type AnalystView, ownRows } from './define-analyst-view.ts';
import { balance, heartbeats, outages } from './health.analysts.ts';
import { plays } from './plays.analysts.ts';
import { campaigns, creatives, devices, networks, sites, vendors } from './registry.analysts.ts';
import { watchers } from './watchers.analysts.ts';

/** Everything analysts see, in the order of the reference; one line each. */
export const analystViews: readonly AnalystView[] = [
  plays,
  audience,
  watchers,
  devices,
  sites,
  networks,
  campaigns,
  creatives,
  vendors,
  outages,
  heartbeats,
  balance,
];

/** Whether any of them reads this table, or this view of ours. */
export const isReadByAnalysts = (relation: { readonly name: string }): boolean =>
  analystViews.some(({ from }) => from.includes(`${ownRows(relation)} `));
