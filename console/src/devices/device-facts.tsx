import type { ListedDevice } from '../api/shapes.ts';
import { Ago } from '../parts/time.tsx';
import { addressOf } from '../state/place.ts';
import { StatusOfDevice } from './status-of-device.tsx';

export const DeviceFacts = ({ device }: { readonly device: ListedDevice }) => (
  <div class="card">
    <dl class="facts">
      <div>
        <dt>Network</dt>
        <dd>
          <a href={addressOf('completeness', '', { network: device.network.id })}>{device.network.name}</a>
        </dd>
      </div>
      <div>
        <dt>Site</dt>
        <dd>{device.site.name}</dd>
      </div>
      <div>
        <dt>Location</dt>
        <dd>{device.location.name}</dd>
      </div>
      <div>
        <dt>Screens</dt>
        <dd>{device.screens.length === 0 ? 'none' : device.screens.join(', ')}</dd>
      </div>
      {device.feeders.map(({ id, name, status, last_active_at }) => (
        <div key={id}>
          <dt>Feeder {name}</dt>
          <dd>
            <StatusOfDevice status={status} />{' '}
            {last_active_at !== null && (
              <span class="muted">
                heard <Ago at={last_active_at} />
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  </div>
);
