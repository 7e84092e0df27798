import { dataOf, ops } from '../api/ops.ts';
import type { Diagnosis, Finding } from '../api/shapes.ts';
import { Problems } from '../overview/problems.tsx';
import { Badge } from '../parts/badge.tsx';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { counted } from '../parts/numbers.ts';
import { Answer } from '../parts/states.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Ago } from '../parts/time.tsx';
import { ViewHead } from '../parts/view-head.tsx';
import { useAsked } from '../state/use-asked.ts';

const columns: readonly Column<Finding>[] = [
  { label: 'Looked at', kind: 'name', cell: ({ check }) => check },
  {
    label: 'Outcome',
    cell: ({ outcome }) =>
      outcome === 'ok' ? <Badge tone="good" text="well" /> : <Badge tone="quiet" text="not looked at" />,
  },
  { label: 'Found', kind: 'plain', cell: ({ found }) => found },
];

const isTrouble = ({ outcome }: Finding) => outcome === 'failed' || outcome === 'warning';

const problemOf = ({ check, outcome, found, advice }: Finding) => ({
  severity: outcome === 'failed' ? ('failed' as const) : ('warning' as const),
  what: `${check}: ${found}`,
  since: null,
  advice: advice ?? '',
});

const Found = ({ diagnosis: { at, findings } }: { readonly diagnosis: Diagnosis }) => {
  const [troubles, others] = [findings.filter(isTrouble), findings.filter((finding) => !isTrouble(finding))];
  return (
    <>
      <p class="muted">
        {counted(findings.length, 'check')}, <Ago at={at} />.
      </p>
      {troubles.length > 0 ? (
        <Problems problems={troubles.map(problemOf)} />
      ) : (
        <p class="calm">
          <Icon name="good" />
          Nothing is wrong with what could be looked at.
        </p>
      )}
      <Table caption="Checks" columns={columns} rows={others} keyOf={({ check, found }) => `${check} ${found}`} />
    </>
  );
};

/** What is wrong with the service and what mends it: what `popsvc doctor` tells, for those without a terminal at hand. */
export const Doctor = () => {
  const asked = useAsked('doctor', (signal) => dataOf(ops.GET('/ops/v1/doctor', { signal })), { everyMs: 60_000 });
  return (
    <section class="view">
      <ViewHead
        title="Doctor"
        about="Engines, schema, projections, clocks, disks and the other services, each asked anew."
      >
        <Button disabled={asked.isLoading} onClick={asked.again}>
          {asked.isLoading ? 'Looking …' : 'Look again'}
        </Button>
      </ViewHead>
      <Answer asked={asked}>{(diagnosis) => <Found diagnosis={diagnosis} />}</Answer>
    </section>
  );
};
