import type { ApiErrorDetail } from '@popsvc/contracts/errors';
import { isRetired } from '../life.ts';
import type { RegistryDraft } from './draft.ts';

/** A camera's feeder is one of the camera's own device, whichever of the two the file changes. */
const cameraFeeders = ({ all, itemOf, lookup: lookup }: RegistryDraft): ApiErrorDetail[] =>
  all('cameras').flatMap(({ key, entity: camera }) => {
    const feeder = camera.feeder === undefined ? undefined : lookup('feeders', String(camera.feeder));
    if (!feeder || isRetired(camera) || feeder.device === camera.device) return [];
    const [atCamera, atFeeder] = [itemOf('cameras', key), itemOf('feeders', String(feeder.id))];
    if (atCamera) return [{ path: `${atCamera.path}.feeder`, message: `is of another device, ${feeder.device}` }];
    const message = `camera ${camera.id} of device ${camera.device} uses this feeder`;
    return atFeeder ? [{ path: `${atFeeder.path}.device`, message }] : [];
  });

/** A creative's strategy is one of its campaign's, whichever of the two the file changes. */
const creativeStrategies = ({ all, itemOf, lookup: lookup }: RegistryDraft): ApiErrorDetail[] =>
  all('creatives').flatMap(({ key, entity: creative }) => {
    const { strategy, campaign: id } = creative;
    const campaign = lookup('campaigns', String(id));
    if (strategy === undefined || !campaign || isRetired(creative)) return [];
    if (campaign.strategies.some((own) => own.id === strategy)) return [];
    const [atCreative, atCampaign] = [itemOf('creatives', key), itemOf('campaigns', String(id))];
    if (atCreative) return [{ path: `${atCreative.path}.strategy`, message: `is not a strategy of campaign ${id}` }];
    const message = `creative ${creative.external_id} uses strategy ${strategy}`;
    return atCampaign ? [{ path: `${atCampaign.path}.strategies`, message }] : [];
  });

export const checkKinship = (draft: RegistryDraft): ApiErrorDetail[] => [
  ...cameraFeeders(draft),
  ...creativeStrategies(draft),
];
