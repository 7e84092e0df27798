import { ops, responseData } from '../api/client.ts';
import type { Diagnosis, Finding } from '../api/types.ts';
import { Button } from '../components/controls.tsx';
import { Badge } from '../components/indicators.tsx';
import { findingTitle, Problems } from '../components/problems.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Loaded, ViewHeader } from '../components/view.tsx';
import { formatCount } from '../format/numbers.ts';
import { Ago } from '../format/time.tsx';
import { useResource } from '../state/resource.ts';

const columns: readonly Column<Finding>[] = [
  { label: 'Check', kind: 'name', cell: findingTitle },
  {
    label: 'Result',
    cell: ({ outcome }) => (outcome === 'ok' ? <Badge tone="good" text="ok" /> : <Badge tone="quiet" text="skipped" />),
  },
  { label: 'Details', kind: 'plain', cell: ({ found }) => found },
];

const isProblem = ({ outcome }: Finding) => outcome === 'failed' || outcome === 'warning';

const Findings = ({ diagnosis: { at, findings } }: { readonly diagnosis: Diagnosis }) => (
  <>
    <p class="muted">
      {formatCount(findings.length, 'check')}, <Ago at={at} />.
    </p>
    <Problems problems={findings.filter(isProblem)} allClear="No check found a problem." />
    <Table
      caption="Checks"
      columns={columns}
      rows={findings.filter((finding) => !isProblem(finding))}
      keyOf={(finding) => `${findingTitle(finding)} ${finding.found}`}
    />
  </>
);

export const Doctor = () => {
  const diagnosis = useResource('doctor', (signal) => responseData(ops.GET('/ops/v1/doctor', { signal })), {
    everyMs: 60_000,
  });
  return (
    <section class="view">
      <ViewHeader
        title="Doctor"
        about="Checks of engines, schema, projections, clocks, disks and the other services. The overview runs the fast ones every few seconds, and adds refused requests."
      >
        <Button disabled={diagnosis.isLoading} onClick={diagnosis.reload}>
          {diagnosis.isLoading ? 'Checking …' : 'Check again'}
        </Button>
      </ViewHeader>
      <Loaded resource={diagnosis}>{(data) => <Findings diagnosis={data} />}</Loaded>
    </section>
  );
};
