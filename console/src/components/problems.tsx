import type { Finding } from '../api/types.ts';
import { Ago } from '../format/time.tsx';
import { Icon } from './icon.tsx';

const severityOrder = { failed: 0, warning: 1, skipped: 2, ok: 3 } as const;

/** Returns the title of a finding: its check and, if it has one, its subject, such as `projection coffee` or `postgresql`. */
export const findingTitle = ({ check, subject }: Finding) => (subject === null ? check : `${check} ${subject}`);

interface ProblemsProps {
  /** The findings that are failures or warnings. */
  readonly problems: readonly Finding[];
  /** The text to show if there are no problems. */
  readonly allClear: string;
}

/** A list of problems and how to fix them, most severe first. Screen readers announce changes. */
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
