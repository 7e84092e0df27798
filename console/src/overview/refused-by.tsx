import type { Overview } from '../api/shapes.ts';
import { Meter } from '../parts/meter.tsx';
import { percentText, wholeText } from '../parts/numbers.ts';

/** Why vendors were refused in the last hour. */
export const RefusedBy = ({ told }: { readonly told: Overview }) => {
  if (told.refused_by.length === 0) return null;
  const all = told.refused_by.reduce((sum, { events }) => sum + events, 0);
  return (
    <section class="card">
      <div class="card-head">
        <h2>Refused in the last hour, by reason</h2>
      </div>
      <ul>
        {told.refused_by.map(({ code, events }) => (
          <li key={code} class="share">
            <code>{code}</code>
            <span>
              {wholeText(events)} <span class="muted">{percentText(events / Math.max(1, all))}</span>
            </span>
            <Meter label={`Share of ${code}`} share={events / Math.max(1, all)} tone="bad" />
          </li>
        ))}
      </ul>
    </section>
  );
};
