import { hash } from 'node:crypto';
import type { PopRecorded } from '@popsvc/contracts/events';
import type { plays, playSpans } from '@popsvc/read-models/tables';
import { canonicalContent, playTimeFlags } from '@popsvc/domain/intake';
import { readPlayReason } from '@popsvc/domain/vocabulary';
import type { Row } from '@popsvc/platform/clickhouse';
import type { Origin } from '../dynamic-events/sent-event.ts';
import { spansOf } from '../rows/spans.ts';
import type { Source } from '../rows/source.ts';
import type { Understand } from '../rows/word-count.ts';

type FieldOf<Table extends { fields: Readonly<Record<string, unknown>> }> = Record<keyof Table['fields'], unknown>;

const hashOf = (text: string) => hash('sha256', text, 'base64url').slice(0, 22);

const payloadOf = ({ impressions, context, device }: PopRecorded): string =>
  impressions || context || device ? JSON.stringify({ impressions, context, device }) : '';

/** A receipt of a play, and where to look it up by screen and time. */
export const playRows = (
  source: Source,
  play: PopRecorded,
  { schema_version, job_id, job_row }: Origin,
  understand: Understand,
): { receipt: Row; spans: readonly Row[] } => {
  const startMs = Date.parse(play.playedAt);
  const { late, clockAhead } = playTimeFlags(startMs, source.received_at);
  const receipt = {
    event_id: play.eventId,
    content_hash: hashOf(canonicalContent(play)),
    screen_id: play.screenId,
    site_ref: play.siteId ?? '',
    campaign_ref: play.campaignId,
    creative_ref: play.creativeId,
    played_at: startMs,
    duration_ms: play.durationMs,
    play_reason: understand('play_reason', readPlayReason(play.startReason)),
    late,
    clock_ahead: clockAhead,
    payload: payloadOf(play),
    schema_version,
    job_id,
    job_row,
    // Last: an object that begins with a spread costs V8 forty times as much to build.
    ...source,
  } satisfies FieldOf<typeof plays>;
  const endMs = startMs + play.durationMs;
  const spans = spansOf(startMs, endMs).map(
    (span) =>
      ({
        network_id: source.network_id,
        screen_id: play.screenId,
        span,
        vendor: source.vendor,
        event_id: play.eventId,
        played_at: startMs,
        ended_at: endMs,
      }) satisfies FieldOf<typeof playSpans>,
  );
  return { receipt, spans };
};
