import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Completeness } from '../completeness/completeness.tsx';
import type { IconName } from '../components/icon.tsx';
import { EmptyState, ViewHeader } from '../components/view.tsx';
import { Device } from '../devices/device.tsx';
import { Devices } from '../devices/devices.tsx';
import { Doctor } from '../doctor/doctor.tsx';
import { Job } from '../jobs/job.tsx';
import { Jobs } from '../jobs/jobs.tsx';
import { Overview } from '../overview/overview.tsx';
import { ParkedEvents } from '../parked-events/parked-events.tsx';
import { Projections } from '../projections/projections.tsx';
import { hrefTo, route } from '../state/route.ts';

interface View {
  /** The first segment of its URL, and its icon. */
  readonly name: IconName;
  readonly title: string;
  /** For the navigation of narrow screens. */
  readonly shortTitle: string;
  /** The keyboard shortcut after `g`. */
  readonly key: string;
  readonly List: ComponentType;
  /** Shown for URLs with an id. */
  readonly Detail?: ComponentType<{ readonly id: string }>;
}

/** In the order of the navigation. */
export const views: readonly View[] = [
  { name: 'overview', title: 'Overview', shortTitle: 'Home', key: 'o', List: Overview },
  { name: 'projections', title: 'Projections', shortTitle: 'Projections', key: 'p', List: Projections },
  { name: 'parked', title: 'Parked events', shortTitle: 'Parked', key: 'e', List: ParkedEvents },
  { name: 'jobs', title: 'Bulk jobs', shortTitle: 'Jobs', key: 'j', List: Jobs, Detail: Job },
  { name: 'devices', title: 'Devices', shortTitle: 'Devices', key: 'd', List: Devices, Detail: Device },
  { name: 'completeness', title: 'Completeness', shortTitle: 'Gaps', key: 'c', List: Completeness },
  { name: 'doctor', title: 'Doctor', shortTitle: 'Doctor', key: 'x', List: Doctor },
];

const NotFound = () => (
  <section class="view">
    <ViewHeader title="Page not found" />
    <EmptyState icon="warning" title="The console has no page at this address">
      The link may be for another version of the console. <a href={hrefTo('overview')}>Go to the overview.</a>
    </EmptyState>
  </section>
);

/** The view that the URL names. */
export const CurrentView = () => {
  const { view: name, id } = route.value;
  const view = views.find((each) => each.name === name);
  const title = view?.title ?? 'Page not found';
  useEffect(() => {
    document.title = `${title}${id === '' ? '' : ` ${id}`} · popsvc operations`;
  }, [title, id]);
  if (view && id === '') return <view.List />;
  return view?.Detail ? <view.Detail key={`${name}/${id}`} id={id} /> : <NotFound />;
};
