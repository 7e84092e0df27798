import { dataOf, ops } from '../api/ops.ts';
import { Answer, Empty } from '../parts/states.tsx';
import { useAsked } from '../state/use-asked.ts';
import { Reasons } from './reasons.tsx';
import { Waiting } from './waiting.tsx';

/** Events in vendors' own schemas that no mapping could turn into a play: by reason, and the newest of them. */
export const Quarantine = () => {
  const asked = useAsked(
    'quarantine',
    (signal) => dataOf(ops.GET('/ops/v1/quarantine', { params: { query: { limit: 50 } }, signal })),
    { everyMs: 15_000 },
  );
  return (
    <Answer asked={asked}>
      {({ reasons, events }) =>
        reasons.length === 0 ? (
          <Empty icon="set-aside" title="Nothing in quarantine">
            Every event in a vendor's own schema became a play. One that no mapping fits waits here, and is released by
            itself when a mapping does.
          </Empty>
        ) : (
          <>
            <p class="muted">
              They are released by themselves: register a mapping that fits (<code>npx popsvc mappings apply FILE</code>
              ), or the screens that are missing.
            </p>
            <Reasons reasons={reasons} done={asked.again} />
            <h2>The newest of them</h2>
            <Waiting events={events} />
          </>
        )
      }
    </Answer>
  );
};
