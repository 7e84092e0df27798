import { findService, type Service } from '../service-client/find-service.ts';
import { type Ops, opsClient, type OpsStream, opsStreamClient } from '../service-client/ops-client.ts';

export interface Connected {
  readonly service: Service;
  readonly ops: Ops;
  readonly opsStream: OpsStream;
}

/** Finds the service when a command needs it, so that help and wrong usage need none. */
export type Connect = () => Promise<Connected>;

export const connectBy =
  (env: NodeJS.ProcessEnv): Connect =>
  async () => {
    const service = await findService(env);
    return { service, ops: opsClient(service), opsStream: opsStreamClient(service) };
  };
