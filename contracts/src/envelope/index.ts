export { enveloped, Place } from './enveloped.ts';
