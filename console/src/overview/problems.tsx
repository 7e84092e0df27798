import type { Problem } from '../api/shapes.ts';
import { Icon } from '../parts/icon.tsx';
import { Ago } from '../parts/time.tsx';

const order = { failed: 0, warning: 1 } as const;

/** What needs somebody, the worst first, with what to do. Changes are read aloud. */
export const Problems = ({ problems }: { readonly problems: readonly Problem[] }) => (
  <div aria-live="polite">
    {problems.length === 0 ? (
      <p class="calm">
        <Icon name="good" />
        Nothing needs you: every projection runs, and nothing waits for a decision.
      </p>
    ) : (
      <ul class="problems" aria-label="Problems">
        {[...problems]
          .sort((a, b) => order[a.severity] - order[b.severity])
          .map(({ severity, what, since, advice }) => (
            <li key={what} class="problem" data-severity={severity}>
              <Icon name={severity} />
              <h2>
                <span class="unseen">{severity}: </span>
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
