import type { ApiErrorDetail } from '@popsvc/contracts/errors';
import { z } from 'zod';
import { Failure } from '../program/failure.ts';

const Refused = z.object({
  message: z.string(),
  error: z.object({ code: z.string(), details: z.array(z.object({ path: z.string(), message: z.string() })) }),
});

/** An answer of the service that is not what was asked for. */
export class ServiceRefusal extends Failure {
  readonly status: number;

  constructor(status: number, message: string, details: readonly ApiErrorDetail[]) {
    super(message, details);
    this.status = status;
  }
}

/** What the service said when it said no. */
export const refusalOf = async (response: Response): Promise<ServiceRefusal> => {
  const text = await response.text();
  try {
    const { message, error } = Refused.parse(JSON.parse(text));
    return new ServiceRefusal(response.status, message, error.details);
  } catch {
    return new ServiceRefusal(response.status, `${response.url} answered ${response.status}.`, []);
  }
};
