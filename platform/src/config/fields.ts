import { z } from 'zod';
import { logLevels } from '../telemetry/index.ts';
import { secret } from './secret.ts';

const digits = z.string().regex(/^\d{1,15}$/, 'must be a whole number');

/** A whole number written in decimal digits. */
export const wholeNumber = (min: number, max: number) => digits.transform(Number).pipe(z.int().min(min).max(max));

/** 0 means any free port. */
export const port = (standard: number) => wholeNumber(0, 65_535).default(standard);

const isAddress = (protocols: readonly string[]) => (text: string) =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol);

/** An address that may carry a password, and so does not print. */
const secretAddress = (...protocols: string[]) =>
  z
    .string({ error: 'is not set' })
    .refine(isAddress(protocols), `must be an address that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`)
    .pipe(secret());

export const url = (...protocols: string[]) =>
  z
    .string({ error: 'is not set' })
    .refine(isAddress(protocols), `must be an address that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`);

export const databaseUrl = () => secretAddress('postgres:', 'postgresql:');
export const eventStoreUrl = () => secretAddress('esdb:', 'esdb+discover:', 'kurrentdb:', 'kurrentdb+discover:');
const eachIs = (protocols: readonly string[]) => (text: string) => text.split(',').every(isAddress(protocols));
/** One address, or several of one cluster with commas. */
export const natsUrl = () =>
  z
    .string()
    .refine(eachIs(['nats:', 'tls:']), 'must be addresses that begin with nats:// or tls://')
    .pipe(secret());
export const logLevel = () => z.enum(logLevels).default('info').describe('Least severe level that is logged.');
