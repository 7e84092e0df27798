import { z } from 'zod';

/** Of a device, feeder or camera. */
export const Id = z.int().min(1);

export const AppCode = z.string().min(1).max(200);
