import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { connect } from 'nats';
import { hasNats, natsProgram, type TestNats } from '../support/engines.ts';
import type { PlaysRecorded } from '@popsvc/contracts/events';
import { createTestPartner, waitUntil, type Service } from '@popsvc/tools/rig';
import { describeIfInstalled } from '../support/run-conditions.ts';

interface ProjectionState {
  readonly name: string;
  readonly state: string;
  readonly lag_events: number;
}

/** Tests of a service that was started while its NATS server was down. */
export const natsTests = (running: () => { readonly service: Service; readonly nats: TestNats | undefined }): void => {
  describeIfInstalled(natsProgram, hasNats, 'with NATS', () => {
    let server: TestNats;
    let service: Service;
    before(() => {
      const { service: started, nats } = running();
      [service, server] = [started, nats!];
    });

    const relay = async (): Promise<ProjectionState | undefined> => {
      const { ops_base_url, operator_token } = service.credentials;
      const headers = { authorization: `Bearer ${operator_token}` };
      const answer = await fetch(`${ops_base_url}/ops/v1/projections`, { headers });
      return ((await answer.json()) as ProjectionState[]).find(({ name }) => name === 'relay');
    };
    const readiness = async (base: string) => (await fetch(`${base}/readyz`)).status;

    it('starts while NATS is down, accepts events, and publishes them when NATS is up', async () => {
      expect((await waitUntil(relay, (seen) => seen?.state === 'failing'))?.lag_events).to.be.greaterThan(0);
      const { ops_base_url, ingest_base_url } = service.credentials;
      expect([await readiness(ops_base_url), await readiness(ingest_base_url)]).to.deep.equal([200, 200]);
      const eventId = randomUUID();
      const played = { eventId, screenId: 'demo-screen-1', campaignId: 'DEMO-1', creativeId: 'DEMO-CR-1' };
      const events = [{ ...played, playedAt: new Date().toISOString(), durationMs: 1_000 }];
      expect((await createTestPartner(service.credentials).push('/pop/events', { events })).status).to.equal(202);

      await server.start();
      await waitUntil(relay, (seen) => seen?.state === 'running' && seen.lag_events <= 1);
      const { host, username, password } = new URL(server.url);
      const connection = await connect({ servers: host, user: username, pass: password });
      try {
        const stream = await connection.jetstream().streams.get('popsvc_events');
        const network = service.credentials.network_ids[0] ?? 0;
        const message = await stream.getMessage({ last_by_subj: `popsvc.events.${network}.PlaysRecorded` });
        expect(message.json<{ data: PlaysRecorded }>().data.plays[0]).to.include({ eventId });
      } finally {
        await connection.close();
      }
    });
  });
};
