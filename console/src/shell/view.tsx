import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Completeness } from '../completeness/completeness.tsx';
import { Device } from '../devices/device.tsx';
import { Devices } from '../devices/devices.tsx';
import { Doctor } from '../doctor/doctor.tsx';
import { Job } from '../jobs/job.tsx';
import { Jobs } from '../jobs/jobs.tsx';
import { Overview } from '../overview/overview.tsx';
import { Empty } from '../parts/states.tsx';
import { ViewHead } from '../parts/view-head.tsx';
import { Projections } from '../projections/projections.tsx';
import { SetAside } from '../set-aside/set-aside.tsx';
import { addressOf, place } from '../state/place.ts';
import { views } from './views.ts';

const lists: Readonly<Record<string, ComponentType>> = {
  overview: Overview,
  projections: Projections,
  'set-aside': SetAside,
  jobs: Jobs,
  devices: Devices,
  completeness: Completeness,
  doctor: Doctor,
};

const ones: Readonly<Record<string, ComponentType<{ readonly id: string }>>> = { jobs: Job, devices: Device };

const Nowhere = () => (
  <section class="view">
    <ViewHead title="Nothing here" />
    <Empty icon="warning" title="This address leads nowhere">
      It may be of an older version of the console. <a href={addressOf('overview')}>Go to the overview.</a>
    </Empty>
  </section>
);

/** The view that the address names. */
export const View = () => {
  const { view, id } = place.value;
  const title = views.find(({ name }) => name === view)?.title ?? 'Nothing here';
  useEffect(() => {
    document.title = `${title}${id === '' ? '' : ` ${id}`} · popsvc operations`;
  }, [title, id]);
  const One = id === '' ? undefined : ones[view];
  if (One) return <One key={`${view}/${id}`} id={id} />;
  const List = id === '' ? lists[view] : undefined;
  return List ? <List /> : <Nowhere />;
};
