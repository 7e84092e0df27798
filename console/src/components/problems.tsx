import type { Finding } from '../api/types.ts';
import { Ago } from '../format/time.tsx';
import { hrefTo, route } from '../state/route.ts';
import { Icon } from './icon.tsx';
import { NothingFound, TextWithCode } from './view.tsx';

const severityOrder = { failed: 0, warning: 1, skipped: 2, ok: 3 } as const;

/** For example, `projection coffee` or `postgresql`. */
export const findingTitle = ({ check, subject }: Finding) => (subject === null ? check : `${check} ${subject}`);

const clusterChecks: ReadonlySet<Finding['check']> = new Set(['clickhouse-replica', 'clickhouse-shards', 'shares']);

const findingHref = ({ check, problem, subject }: Finding): string | undefined => {
  const [, network] = /network (\d+)/.exec(subject ?? '') ?? [];
  const [, vendor] = /^vendor (\w+)/.exec(subject ?? '') ?? [];
  const [, site] = /^site (\d+)/.exec(subject ?? '') ?? [];
  if (problem === 'dark-network' || problem === 'dark-site')
    return hrefTo('outages', '', { network, site, open: 'true' });
  if (problem === 'vendor-silent') return hrefTo('vendors', '', { network, vendor, span: 168 });
  if (check === 'refusals') return hrefTo('vendors');
  if (check === 'flow') return hrefTo('completeness', '', { network });
  if (check === 'quarantine') return hrefTo('parked', '', { kind: 'quarantine' });
  if (problem === 'parked') return hrefTo('parked', '', { kind: 'parked' });
  if (check === 'bulk-jobs') return hrefTo('jobs', '', { status: problem === 'failed' ? 'failed' : '' });
  if (check === 'projection') return hrefTo('projections');
  if (check === 'unknown-references') return hrefTo('parked', '', { kind: 'unknown' });
  if (check === 'devices') return hrefTo('devices', '', { network, status: 'offline' });
  if (check === 'read-models' || check === 'generations' || check === 'freshness') return hrefTo('projections');
  if (clusterChecks.has(check)) return hrefTo('cluster');
  // The doctor shows all other problems, next to the findings about the same component.
  return route.value.view === 'doctor' ? undefined : hrefTo('doctor');
};

const FindingTitle = ({ finding }: { readonly finding: Finding }) => {
  const href = findingHref(finding);
  const title = findingTitle(finding);
  return href === undefined ? <>{title}</> : <a href={href}>{title}</a>;
};

interface ProblemsProps {
  readonly problems: readonly Finding[];
  readonly allClear: string;
}

export const Problems = ({ problems, allClear }: ProblemsProps) => (
  <div aria-live="polite">
    {problems.length === 0 ? (
      <NothingFound tone="good">{allClear}</NothingFound>
    ) : (
      <ul class="problems" aria-label="Problems">
        {[...problems]
          .sort((a, b) => severityOrder[a.outcome] - severityOrder[b.outcome])
          .map((finding) => (
            <li key={`${findingTitle(finding)} ${finding.problem}`} class="problem" data-severity={finding.outcome}>
              <Icon name={finding.outcome === 'failed' ? 'failed' : 'warning'} />
              <h2>
                <span class="visually-hidden">{finding.outcome}: </span>
                <FindingTitle finding={finding} />: {finding.found}
              </h2>
              {finding.since !== null && <Ago at={finding.since} />}
              <p>
                <TextWithCode text={finding.advice ?? ''} />
              </p>
            </li>
          ))}
      </ul>
    )}
  </div>
);
