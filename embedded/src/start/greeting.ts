import type { DemoCredentials } from './demo.ts';

const dayMs = 86_400_000;

/** What `npm start` prints once everything is ready: the addresses, and three requests that work when pasted. */
export const greeting = (credentials: DemoCredentials, nowMs: number): string => {
  const { query_base_url, ingest_base_url, ops_base_url, token_url, client_id, client_secret, api_key } = credentials;
  const playedAt = new Date(nowMs).toISOString();
  const seenAt = (ms: number) => new Date(nowMs + ms).toISOString();
  const from = new Date(nowMs - dayMs).toISOString().slice(0, 10);
  const to = new Date(nowMs + dayMs).toISOString().slice(0, 10);
  const play = {
    events: [
      {
        eventId: `demo-${nowMs}`,
        screenId: 'demo-screen-1',
        campaignId: 'DEMO-1',
        creativeId: 'DEMO-CR-1',
        playedAt,
        durationMs: 10_000,
        startReason: 'scheduled',
      },
    ],
  };
  const detection = {
    detections: [
      {
        detectionId: `demo-${nowMs}`,
        deviceId: 31,
        feederId: 41,
        watcherId: 1,
        startedAt: seenAt(1_000),
        endedAt: seenAt(8_000),
        gender: 'female',
        ageCategory: 'adult',
        watches: [{ startedAt: seenAt(2_000), endedAt: seenAt(5_500) }],
      },
    ],
  };
  const push = (path: string, body: unknown) =>
    `curl -s ${ingest_base_url}${path} -H 'X-API-Key: ${api_key}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  const token = `$(curl -s ${token_url} -d grant_type=client_credentials -d client_id=${client_id} -d client_secret=${client_secret} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;
  return [
    `popsvc ready: reports ${query_base_url}, ingestion ${ingest_base_url}, operations ${ops_base_url}`,
    '',
    '# a vendor pushes a play and who was in front of it',
    `${push('/popsvc/v1/pop/events', play)} && ${push('/popsvc/v1/audience/detections', detection)}`,
    '',
    '# a partner reads it as JSON, with a token of the client-credentials flow',
    `curl -s "${query_base_url}/api/v1/coffee?from=${from}&to=${to}" -H "Authorization: Bearer ${token}"`,
    '',
    '# and as CSV, with an API key',
    `curl -s "${query_base_url}/api/v1/coffee/download?from=${from}&to=${to}" -H 'X-API-Key: ${api_key}'`,
    '',
    '',
  ].join('\n');
};
