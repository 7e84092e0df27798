import { createPopsvcCommand, type Service } from '@popsvc/tools/rig';

/** Creates a client with a network, and returns an access token of it. */
export const createPartnerToken = async (service: Service, network: number): Promise<string> => {
  const popsvc = createPopsvcCommand({ DATA_DIR: service.dataDir });
  const { stdout } = await popsvc('clients', 'create', '--name', 'partner', '--networks', String(network), '--json');
  const { client_id, client_secret } = JSON.parse(stdout) as { client_id: string; client_secret: string };
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const response = await fetch(service.credentials.token_url, { method: 'POST', body });
  return ((await response.json()) as { access_token: string }).access_token;
};
