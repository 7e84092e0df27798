import { useEffect, useState } from 'preact/hooks';
import { NetworkSelect } from '../parts/network-select.tsx';
import { Button } from '../parts/button.tsx';
import { Select } from '../parts/field.tsx';
import { Answer, Empty } from '../parts/states.tsx';
import { ViewHead } from '../parts/view-head.tsx';
import { now } from '../state/clock.ts';
import { place, refine } from '../state/place.ts';
import { useNetworks } from '../state/use-networks.ts';
import { Legend } from './legend.tsx';
import { HoursMap } from './map.tsx';
import { useHours } from './use-hours.ts';
import { spans, windowOf } from './window.ts';

const step = 100;
/** As many as the server gives at a time. */
const most = 1_000;

/** Per screen and hour: was something played, and if not, why not. */
export const Completeness = () => {
  const { query } = place.value;
  const networks = useNetworks();
  const network = query.get('network') ?? String(networks[0]?.id ?? '');
  const [span, day] = [query.get('span') ?? '48', query.get('day') ?? ''];
  const [limit, setLimit] = useState(step);
  useEffect(() => setLimit(step), [network, span, day]);
  const asked = useHours(network, windowOf(span, day, now.value), limit);
  return (
    <section class="view">
      <ViewHead title="Completeness" about="What each screen did in each hour, and where the gaps are." />
      <div class="filters">
        <NetworkSelect value={network} choose={(value) => refine({ network: value })} hasAll={false} />
        <Select label="Hours" value={span} options={spans} choose={(value) => refine({ span: value })} />
        <div class="field">
          <label for="day">Up to the end of</label>
          <input
            id="day"
            type="date"
            value={day}
            onChange={({ currentTarget }) => refine({ day: currentTarget.value })}
          />
        </div>
        {day !== '' && <Button onClick={() => refine({ day: '' })}>Up to now</Button>}
      </div>
      <Legend totals={asked.data?.totals} />
      {network === '' ? (
        <Empty icon="completeness" title="No networks yet">
          They come with the registry: npx popsvc registry apply FILE.
        </Empty>
      ) : (
        <Answer asked={asked} lines={12}>
          {({ screens, from, hours, next_after }) =>
            screens.length === 0 ? (
              <Empty icon="completeness" title="This network has no screens">
                Devices of the registry name the screens that hang on them.
              </Empty>
            ) : (
              <>
                <HoursMap screens={screens} from={Date.parse(from)} hours={hours} />
                {next_after !== null && limit < most && (
                  <p class="more">
                    <Button onClick={() => setLimit(Math.min(most, limit + 4 * step))}>Show more screens</Button>
                  </p>
                )}
              </>
            )
          }
        </Answer>
      )}
    </section>
  );
};
