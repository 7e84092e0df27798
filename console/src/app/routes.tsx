import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Access } from '../access/access.tsx';
import { Audit } from '../audit/audit.tsx';
import { Cluster } from '../cluster/cluster.tsx';
import { Completeness } from '../completeness/completeness.tsx';
import type { IconName } from '../components/icon.tsx';
import { EmptyState, ViewHeader } from '../components/view.tsx';
import { Device } from '../devices/device.tsx';
import { Devices } from '../devices/devices.tsx';
import { Doctor } from '../doctor/doctor.tsx';
import { Job } from '../jobs/job.tsx';
import { Jobs } from '../jobs/jobs.tsx';
import { Network } from '../networks/network.tsx';
import { Networks } from '../networks/networks.tsx';
import { Outages } from '../outages/outages.tsx';
import { Overview } from '../overview/overview.tsx';
import { ParkedEvents } from '../parked/parked-events.tsx';
import { Projections } from '../projections/projections.tsx';
import { EventLookup } from '../events/event-lookup.tsx';
import { MappingDetail, Mappings } from '../mappings/mappings.tsx';
import { Registry } from '../registry/registry.tsx';
import { Vendors } from '../vendors/vendors.tsx';
import { hrefTo, route } from '../state/route.ts';
import { WebhookDetail } from '../webhooks/webhook.tsx';
import { Webhooks } from '../webhooks/webhooks.tsx';

interface View {
  /** The first path segment after `#/`. */
  readonly path: string;
  readonly icon: IconName;
  readonly title: string;
  /** Opens the view when it is pressed after `g`. */
  readonly key: string;
  readonly Page: ComponentType;
  readonly Detail?: ComponentType<{ readonly id: string }>;
}

/** In navigation order. */
export const views: readonly View[] = [
  { path: 'overview', icon: 'overview', title: 'Overview', key: 'o', Page: Overview },
  { path: 'doctor', icon: 'doctor', title: 'Doctor', key: 'x', Page: Doctor },
  { path: 'networks', icon: 'networks', title: 'Networks', key: 'n', Page: Networks, Detail: Network },
  { path: 'vendors', icon: 'vendors', title: 'Vendors', key: 'v', Page: Vendors },
  { path: 'events', icon: 'events', title: 'Event look-up', key: 'i', Page: EventLookup },
  { path: 'projections', icon: 'projections', title: 'Projections', key: 'p', Page: Projections },
  { path: 'parked', icon: 'parked', title: 'Parked events', key: 'e', Page: ParkedEvents },
  { path: 'jobs', icon: 'jobs', title: 'Bulk jobs', key: 'j', Page: Jobs, Detail: Job },
  { path: 'devices', icon: 'devices', title: 'Devices', key: 'd', Page: Devices, Detail: Device },
  { path: 'outages', icon: 'outages', title: 'Outages', key: 'u', Page: Outages },
  { path: 'completeness', icon: 'completeness', title: 'Completeness', key: 'c', Page: Completeness },
  { path: 'webhooks', icon: 'webhooks', title: 'Webhooks', key: 'w', Page: Webhooks, Detail: WebhookDetail },
  { path: 'cluster', icon: 'cluster', title: 'Cluster', key: 'k', Page: Cluster },
  { path: 'registry', icon: 'registry', title: 'Registry', key: 'r', Page: Registry },
  { path: 'mappings', icon: 'mappings', title: 'Mappings', key: 'm', Page: Mappings, Detail: MappingDetail },
  { path: 'access', icon: 'access', title: 'Access', key: 'a', Page: Access },
  { path: 'audit', icon: 'audit', title: 'Audit', key: 'l', Page: Audit },
];

const NotFound = () => (
  <section class="view">
    <ViewHeader title="Page not found" />
    <EmptyState icon="warning" title="The console has no page at this address">
      The link may be for another version of the console. <a href={hrefTo('overview')}>Go to the overview.</a>
    </EmptyState>
  </section>
);

export const CurrentView = () => {
  const { view: path, id } = route.value;
  const view = views.find((each) => each.path === path);
  const title = view?.title ?? 'Page not found';
  useEffect(() => {
    document.title = `${title}${id === '' ? '' : ` ${id}`} · popsvc operations`;
  }, [title, id]);
  if (view && id === '') return <view.Page />;
  return view?.Detail ? <view.Detail key={`${path}/${id}`} id={id} /> : <NotFound />;
};
