import type { Problem } from '../api/types.ts';
import { Ago } from '../format/time.tsx';
import { Icon } from './icon.tsx';

const severityOrder = { failed: 0, warning: 1 } as const;

interface ProblemsProps {
  readonly problems: readonly Problem[];
  /** Shown if there are none. */
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
          .sort((a, b) => severityOrder[a.severity] - severityOrder[b.severity])
          .map(({ severity, what, since, advice }) => (
            <li key={what} class="problem" data-severity={severity}>
              <Icon name={severity} />
              <h2>
                <span class="visually-hidden">{severity}: </span>
                {what}
              </h2>
              {since !== null && <Ago at={since} />}
              <p>{advice}</p>
            </li>
          ))}
      </ul>
    )}
  </div>
);
