import type { PopEvent } from '@popsvc/contracts/commands';
import { instantMs, instantOf } from '@popsvc/contracts/time';
import { readPlayReason } from '@popsvc/domain/vocabulary';
import type { Pool } from 'pg';
import type { Sender } from './sender.ts';

const text = `
INSERT INTO plays (network_id, vendor, event_id, screen_ref, site_ref, campaign_ref, creative_ref, played_at, ends_at,
  duration_ms, play_reason, impressions, context, device)
SELECT $1, $2, e.id, e.screen, e.site, e.campaign, e.creative, e.at, e.at + e.ms * interval '1 ms',
  e.ms, e.reason, e.impressions, e.context, e.device
FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::timestamptz[], $9::int[], $10::text[],
  $11::jsonb[], $12::jsonb[], $13::jsonb[])
  AS e(id, screen, site, campaign, creative, at, ms, reason, impressions, context, device)
ON CONFLICT (network_id, vendor, event_id) DO NOTHING`;

const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

/** All in one statement, so all or nothing; what is there already stays as it is. */
export const insertPlays = async (pool: Pool, sender: Sender, plays: readonly PopEvent[]): Promise<void> => {
  await pool.query({
    name: 'insert-plays',
    text,
    values: [
      sender.networkId,
      sender.vendor,
      plays.map(({ eventId }) => eventId),
      plays.map(({ screenId }) => screenId),
      plays.map(({ siteId }) => siteId ?? null),
      plays.map(({ campaignId }) => campaignId),
      plays.map(({ creativeId }) => creativeId),
      plays.map(({ playedAt }) => instantOf(instantMs(playedAt)!)),
      plays.map(({ durationMs }) => durationMs),
      plays.map(({ startReason }) => readPlayReason(startReason).value),
      plays.map(({ impressions }) => json(impressions)),
      plays.map(({ context }) => json(context)),
      plays.map(({ device }) => json(device)),
    ],
  });
};
