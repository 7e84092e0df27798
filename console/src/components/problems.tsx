import type { Finding } from '../api/types.ts';
import { Ago } from '../format/time.tsx';
import { Icon } from './icon.tsx';

const severityOrder = { failed: 0, warning: 1, skipped: 2, ok: 3 } as const;

/** Returns what a finding is about: `projection coffee`, `postgresql`. */
export const findingTitle = ({ check, subject }: Finding) => (subject === null ? check : `${check} ${subject}`);

interface ProblemsProps {
  /** Findings that failed or are warnings. */
  readonly problems: readonly Finding[];
  /** Text that is shown if there are no problems. */
  readonly allClear: string;
}

/** Problems with their fixes, most severe first. Screen readers announce changes. */
export const Problems = ({ problems, allClear }: ProblemsProps) => (
  <div aria-live="polite">
    {problems.length === 0 ? (
      <p class="all-clear">
        <Icon name="good" />
        {allClear}
      </p>
    ) : (
      <ul class="problems" aria-label="Problems">
        {[...problems]
          .sort((a, b) => severityOrder[a.outcome] - severityOrder[b.outcome])
          .map((finding) => (
            <li key={`${findingTitle(finding)} ${finding.problem}`} class="problem" data-severity={finding.outcome}>
              <Icon name={finding.outcome === 'failed' ? 'failed' : 'warning'} />
              <h2>
                <span class="visually-hidden">{finding.outcome}: </span>
                {findingTitle(finding)}: {finding.found}
              </h2>
              {finding.since !== null && <Ago at={finding.since} />}
              <p>{finding.advice}</p>
            </li>
          ))}
      </ul>
    )}
  </div>
);
